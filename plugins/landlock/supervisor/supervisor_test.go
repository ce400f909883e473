package supervisor

import (
	"encoding/binary"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func inet4(port uint16, a, b, c, d byte) []byte {
	raw := make([]byte, 16)
	binary.NativeEndian.PutUint16(raw, unix.AF_INET)
	binary.BigEndian.PutUint16(raw[2:], port)
	copy(raw[4:], []byte{a, b, c, d})
	return raw
}

func inet6(port uint16, address string) []byte {
	raw := make([]byte, 28)
	binary.NativeEndian.PutUint16(raw, unix.AF_INET6)
	binary.BigEndian.PutUint16(raw[2:], port)
	from := netip.MustParseAddr(address).As16()
	copy(raw[8:], from[:])
	return raw
}

func TestDestination(t *testing.T) {
	family := func(f uint16, n int) []byte {
		raw := make([]byte, n)
		binary.NativeEndian.PutUint16(raw, f)
		return raw
	}
	for name, tt := range map[string]struct {
		raw   []byte
		to    string
		errno unix.Errno
	}{
		"loopback":           {inet4(443, 127, 64, 1, 2), "127.64.1.2:443", 0},
		"resolver":           {inet4(53, 127, 0, 0, 1), "127.0.0.1:53", 0},
		"longer":             {append(inet4(1, 127, 0, 0, 1), make([]byte, 100)...), "127.0.0.1:1", 0},
		"mapped":             {inet6(443, "::ffff:127.64.1.2"), "127.64.1.2:443", 0},
		"public":             {inet4(53, 8, 8, 8, 8), "", unix.ENETUNREACH},
		"metadata":           {inet4(80, 169, 254, 169, 254), "", unix.ENETUNREACH},
		"private":            {inet4(80, 10, 0, 0, 1), "", unix.ENETUNREACH},
		"any":                {inet4(80, 0, 0, 0, 0), "", unix.ECONNREFUSED},
		"broadcast":          {inet4(80, 255, 255, 255, 255), "", unix.ENETUNREACH},
		"loopback 6":         {inet6(80, "::1"), "", unix.ECONNREFUSED},
		"any 6":              {inet6(80, "::"), "", unix.ECONNREFUSED},
		"compatible":         {inet6(80, "::127.0.0.1"), "", unix.ENETUNREACH},
		"translated":         {inet6(80, "64:ff9b::7f00:1"), "", unix.ENETUNREACH},
		"mapped public":      {inet6(80, "::ffff:8.8.8.8"), "", unix.ENETUNREACH},
		"unix":               {family(unix.AF_UNIX, 110), "", unix.ECONNREFUSED},
		"unspecified family": {family(unix.AF_UNSPEC, 16), "", unix.EAFNOSUPPORT},
		"vsock":              {family(unix.AF_VSOCK, 16), "", unix.EAFNOSUPPORT},
		"short":              {inet4(80, 127, 0, 0, 1)[:15], "", unix.EINVAL},
		"short 6":            {inet6(80, "::1")[:23], "", unix.EINVAL},
		"empty":              {nil, "", unix.EINVAL},
		"one byte":           {[]byte{2}, "", unix.EINVAL},
	} {
		to, errno := destination(tt.raw)
		if errno != tt.errno || (errno == 0 && to.String() != tt.to) {
			t.Errorf("%s: %s, %v, want %s, %v", name, to, errno, tt.to, tt.errno)
		}
	}
}

func FuzzDestination(f *testing.F) {
	f.Add(inet4(443, 127, 0, 0, 1))
	f.Add(inet6(443, "::ffff:127.0.0.1"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if to, errno := destination(raw); errno == 0 && (!to.Addr().Is4() || to.Addr().As4()[0] != 127) {
			t.Errorf("%x leads to %s", raw, to)
		}
	})
}

func TestConnectedPair(t *testing.T) {
	var m socketPairs
	if err := m.open(); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(m.listening)
	for range 5 { // strangers
		stranger, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(stranger)
		if err := unix.Connect(stranger, m.address); err != nil {
			t.Fatal(err)
		}
	}
	client, server, err := m.pair()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(client)
	defer unix.Close(server)
	if _, err := unix.Write(client, []byte("x")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 2)
	if n, err := unix.Read(server, b); n != 1 || b[0] != 'x' {
		t.Error(n, err)
	}
}

func TestCensus(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		limit := rapid.Int64Range(1, 20).Draw(draw, "limit")
		alive := rapid.Int64Range(0, limit).Draw(draw, "alive")
		forks := rapid.SliceOfN(rapid.Bool(), 50, 50).Draw(draw, "forks")
		synctest.Test(t, func(t *testing.T) {
			c := &forkLimit{limit: limit, count: func() int64 { return alive },
				isGuest: func(uint32) bool { return false }}
			c.counted, c.at = alive, time.Now()
			for i, fork := range forks {
				if fork && c.ask(notification{}) == granted {
					alive++
				} else if fork && alive < limit {
					t.Errorf("step %d: refused with %d of %d", i, alive, limit)
				} else if !fork && alive > 0 {
					alive--
				}
				if alive > limit {
					t.Fatalf("step %d: %d of %d", i, alive, limit)
				}
			}
		})
	})
}

// Short processes one after the other are few at any time, however quickly they follow.
func TestCensusGrantsQuickProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alive := int64(13)
		c := &forkLimit{limit: 16, count: func() int64 { return alive }, isGuest: func(uint32) bool { return false }}
		for i := range 500 {
			if got := c.ask(notification{}); got != granted {
				t.Fatalf("process %d: %v", i, got)
			}
			alive++
			time.Sleep(100 * time.Microsecond)
			alive--
		}
	})
}

func TestCensusFreezesAndCloses(t *testing.T) {
	answered := map[uint64]bool{}
	c := &forkLimit{
		limit: 2, count: func() int64 { return 1 }, isGuest: func(thread uint32) bool { return thread == 7 },
		answer: func(n notification, granted bool) { answered[n.id] = granted },
	}
	c.freeze(true)
	if got := c.ask(notification{id: 1, pid: 9}); got != deferred {
		t.Errorf("a script's fork while frozen: %v", got)
	}
	if got := c.ask(notification{id: 2, pid: 7}); got != granted {
		t.Errorf("the guest's thread while frozen: %v", got)
	}
	c.freeze(false)
	if ok, found := answered[1]; !found || !ok {
		t.Errorf("after the thaw: %v", answered)
	}
	c.close()
	if got := c.ask(notification{id: 3, pid: 7}); got != deferred || len(answered) != 1 {
		t.Errorf("after the end: %v, %v", got, answered)
	}
}

func TestTmpUsage(t *testing.T) {
	dir := t.TempDir()
	for path, size := range map[string]int{"a/b/c/file": 1 << 20, "a/other": 4096, "x": 0} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/", filepath.Join(dir, "a/link")); err != nil {
		t.Fatal(err)
	}
	total, err := tmpUsage(dir, 1<<40)
	if err != nil || total < 1<<20+4096 || total > 1<<20+64<<10 {
		t.Errorf("%d, %v", total, err)
	}
	if total, err := tmpUsage(dir, 1000); err != nil || total <= 1000 {
		t.Errorf("beyond the limit: %d, %v", total, err)
	}
}

// TestDeepTrees makes one that has no path, because paths end at 4096 bytes.
func TestDeepTrees(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "box")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const depth = 5000
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("n", 200) + "\n\x01x"
	for range depth {
		if err := unix.Mkdirat(fd, name, 0o700); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
		fd = next
	}
	file, err := unix.Openat(fd, "deep", unix.O_CREAT|unix.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Write(file, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	unix.Close(file)
	_ = unix.Fchmod(fd, 0)
	unix.Close(fd)
	if total, err := tmpUsage(dir, 1<<40); err != nil || total < 1<<20+depth*perFile {
		t.Errorf("%d, %v", total, err)
	}
	if err := RemoveTree(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
	if err := RemoveTree(dir); err != nil {
		t.Errorf("a tree that isn't there: %v", err)
	}
}

func TestReadConfigRefuses(t *testing.T) {
	for name, line := range map[string]string{
		"nothing": "", "no end": `{"guest":["x"]}`, "junk": "junk\n",
		"incomplete": `{"guest":["x"],"tmp":"/tmp/x"}` + "\n",
		"root's uid": `{"guest":["x"],"tmp":"/tmp/x","filter":"AAAA","abi":5,` +
			`"limits":{"memory":1,"pids":1,"tmp":1,"files":1}}` + "\n",
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.WriteString(line)
		w.Close()
		if c, err := readConfig(r); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
		r.Close()
	}
}

// TestOneFileDoesNotEndTheBox: a script that fills one file must reliably get an error, not end its
// box.
func TestOneFileDoesNotEndTheBox(t *testing.T) {
	for _, tmp := range []int64{1 << 20, 64 << 20, 10 << 30} {
		if n := fileLimit(tmp); n+perFile > tmp || n < tmp/2 {
			t.Errorf("of %d bytes one file may have %d", tmp, n)
		}
	}
}
