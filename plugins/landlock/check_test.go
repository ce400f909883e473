package landlock

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/landlock/ruleset"
	"github.com/computclaw/airlock/plugins/owner"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/seccomp"
)

func TestCheck(t *testing.T) {
	b := New(WithGuest(sandboxtest.Guest(t)))
	r, err := b.Check(t.Context(), plugins.Config{Instance: "test-check", StateDir: t.TempDir()})
	if err != nil || !r.Ready || r.Tier != plugins.TierRestricted || !strings.HasPrefix(r.Runtime, "python-sha256:") {
		t.Errorf("%v %+v", err, r)
	}
	again, err := b.Check(t.Context(), plugins.Config{Instance: "test-check", StateDir: t.TempDir()})
	if err != nil || again.Runtime != r.Runtime {
		t.Errorf("%v, runtime %s and then %s", err, r.Runtime, again.Runtime)
	}
}

func TestCheckOnOlderKernels(t *testing.T) {
	for abi := minABI; abi < ruleset.ScopedABI && abi <= ruleset.ABI(); abi++ {
		b := New(WithGuest(sandboxtest.Guest(t)), WithABI(abi))
		r, err := b.Check(t.Context(), plugins.Config{Instance: "test-older", StateDir: t.TempDir()})
		if err != nil || !r.Ready || r.Version != fmt.Sprintf("Landlock %d, own uids", abi) {
			t.Errorf("version %d: %v, %s: %s", abi, err, r.Version, r.Reason)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		options []Option
		cfg     plugins.Config
		reason  string
	}{
		"bad instance": {nil, plugins.Config{Instance: "../x"}, "letters, digits"},
		"unknown":      {nil, plugins.Config{Instance: "x", Settings: map[string]string{"tpm": "/"}}, `setting "tpm"`},
		"relative": {nil, plugins.Config{Instance: "x", Settings: map[string]string{"tmp": "tmp"}},
			"clean absolute path"},
		"no tmp": {nil, plugins.Config{Instance: "x", Settings: map[string]string{"tmp": "/nonexistent"}},
			"AIRLOCK_PLUGIN_LANDLOCK_TMP"},
		"too few files": {nil, plugins.Config{Instance: "x", Limits: plugins.Limits{Files: 10}}, "file limit"},
		"negative cpu":  {nil, plugins.Config{Instance: "x", Limits: plugins.Limits{CPU: -1}}, "cpu limit"},
		"no Landlock":   {[]Option{WithABI(0)}, plugins.Config{Instance: "x"}, "no Landlock"},
		"closed to boxes": {nil, plugins.Config{Instance: "x", Settings: map[string]string{"tmp": t.TempDir()}},
			"mode 1777"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := New(append(tt.options, WithGuest([]byte("unused")))...).Check(t.Context(), tt.cfg)
			if err != nil || r.Ready || r.Tier != plugins.TierNone || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("%v, %+v, want a reason with %q", err, r, tt.reason)
			}
		})
	}
}

func TestARefusedBoxNamesItsBackend(t *testing.T) {
	_, err := New().Run(t.Context(), plugins.Spec{ID: "a/b"}, strings.NewReader(""), io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), Name+": ") {
		t.Errorf("error %v", err)
	}
}

func TestCanPeek(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptrace_scope")
	if err := canPeek(path); err != nil {
		t.Errorf("without Yama: %v", err)
	}
	for scope, fine := range map[string]bool{"0\n": true, "1\n": true, "2\n": false, "3\n": false} {
		if err := os.WriteFile(path, []byte(scope), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := canPeek(path); (err == nil) != fine ||
			err != nil && !strings.Contains(err.Error(), "kernel.yama.ptrace_scope=1") {
			t.Errorf("scope %q: %v", scope, err)
		}
	}
}

func TestMapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uid_map")
	for text, want := range map[string][]bool{
		"         0          0 4294967295\n":      {true, true},
		"0 100000 65536\n":                        {false, true},
		"0 1000 1\n1 100000 65536\n":              {false, true},
		"65534 1000 1\n":                          {false, false},
		"0 0 1000\n1900100000 1900100000 65536\n": {true, false},
		"": {false, false}, "junk\n": {false, false},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, r := range ranges() {
			got = append(got, isMapped(path, r))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestUIDOfALongBox(t *testing.T) {
	i, u := identity{first: 50_000, count: 3}, newUIDs()
	long, err := u.take(i)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		uid, err := u.take(i)
		if err != nil || uid == long || uid < 50_000 || uid > 50_002 {
			t.Fatalf("uid %d, %v, while %d is taken", uid, err, long)
		}
		u.release(uid)
	}
	for range 2 {
		if _, err := u.take(i); err != nil {
			t.Error(err)
		}
	}
	if uid, err := u.take(i); err == nil {
		t.Errorf("a fourth of three: %d", uid)
	}
	u.release(long)
	if uid, err := u.take(i); err != nil || uid != long {
		t.Errorf("uid %d, %v, want %d", uid, err, long)
	}
	if uid, err := newUIDs().take(identity{}); uid != 0 || err != nil {
		t.Errorf("uid %d, %v where boxes share Airlock's", uid, err)
	}
}

// inspected returns a backend's host before it's proved.
func inspected(t *testing.T, instance string, options ...Option) *host {
	t.Helper()
	b := New(append(options, WithGuest(sandboxtest.Guest(t)))...)
	if err := b.prepare(); err != nil {
		t.Fatal(err)
	}
	h, err := b.inspect(settings{}, instance, "")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestProbeFindsHoles(t *testing.T) {
	allowAll := []byte{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f} // return SECCOMP_RET_ALLOW
	writable := []string{"host files are closed", "only its own directory can be written"}
	if ruleset.ABI() < ruleset.TruncateABI { // who may write may cut off there
		writable = append(writable, "host files can't be cut off")
	}
	tests := []struct {
		name  string
		hole  func(h *host)
		found []string
	}{
		{"none", func(*host) {}, nil},
		{"no filter", func(h *host) { h.filter = allowAll }, []string{
			"kernel surface is closed", "no other sockets", "no new namespaces", "no serving", "no datagrams",
			"no connecting by sending", "no Unix sockets of the host", "processes are limited",
			"the supervisor can see the box", "connections go to Airlock alone",
			"metadata of host files can't be changed",
			"files are opened to read or to write",
		}},
		{"nobody looks at truncation", func(h *host) { h.abi, h.filter = 2, mediatedFilter(t) }, []string{
			"host files can't be cut off", "only its own directory can be written",
		}},
		{"a directory of the host", func(h *host) { h.ruleset.Files = append(h.ruleset.Files, "/etc") },
			[]string{"host files are closed", "links lead nowhere"}},
		{"all of /proc", func(h *host) { h.ruleset.Files = append(h.ruleset.Files, "/proc") },
			[]string{"host files are closed", "other processes are closed", "links lead nowhere"}},
		{"a writable directory", func(h *host) { h.ruleset.Devices = append(h.ruleset.Devices, h.tmp) }, writable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := inspected(t, "test-holes")
			tt.hole(h)
			controls, err := h.probe(t.Context(), []string{"/etc", "/etc/passwd", "/proc"})
			if err != nil {
				t.Fatal(err)
			}
			broken := map[string]string{}
			for _, c := range controls {
				if !c.Proved {
					broken[c.Name] = c.Detail
				}
			}
			for _, name := range tt.found {
				if _, found := broken[name]; !found {
					t.Errorf("the probe missed that %q doesn't hold", name)
				}
				delete(broken, name)
			}
			if tt.name != "no filter" && len(broken) > 0 {
				t.Errorf("also broken: %v", broken)
			}
		})
	}
}

func mediatedFilter(t *testing.T) []byte {
	t.Helper()
	filter, err := seccomp.Program(runtime.GOARCH, seccomp.Options{Mediated: true})
	if err != nil {
		t.Fatal(err)
	}
	return filter
}

func TestKilledSupervisorLeavesNothing(t *testing.T) {
	h := inspected(t, "test-supervisor")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := make(chan string, 1)
	type result struct {
		exit plugins.Exit
		err  error
	}
	done := make(chan result, 1)
	script := `
import os, signal, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        if os.fork() == 0: time.sleep(1000)
        time.sleep(1000)
print(os.getppid(), flush=True)
time.sleep(1000)`
	go func() {
		p := program{path: h.interpreter, argv: []string{h.interpreter, "-c", script, "test-supervisor-mark"}}
		exit, err := h.run(ctx, plugins.Spec{ID: "victim"}, p, strings.NewReader(""), writer(out))
		done <- result{exit, err}
	}()
	var line string
	select {
	case line = <-out:
	case r := <-done:
		t.Fatalf("%+v", r)
	}
	supervisor, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.err == nil || ctx.Err() != nil {
		t.Errorf("%+v, want an error that says that the box was lost", r)
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		if b, _ := os.ReadFile(path); strings.Contains(string(b), "test-supervisor-mark") {
			t.Errorf("%s is left", path)
		}
	}
	if left := own(t, h); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

type writer chan string

func (w writer) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

func own(t *testing.T, h *host) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(h.tmp, "airlock."+h.names.Instance+".*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// TestAProofThatWasKilledIsSwept: a sweep that stumbled over what it left kept the backend out of
// use for good.
func TestAProofThatWasKilledIsSwept(t *testing.T) {
	h := inspected(t, "test-killed-proof")
	c, err := newCanaries(h.newPath("_canaries"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	for _, l := range c.sockets {
		l.Close()
	}
	if err := os.Symlink("/etc/passwd", h.newPath("link")); err != nil {
		t.Fatal(err)
	}
	if err := h.sweep(func(string) bool { return false }); err != nil {
		t.Error(err)
	}
	if left := own(t, h); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat("/etc/passwd"); err != nil {
		t.Error("the sweep followed a link")
	}
}

// TestSweep checks leftovers of this process, of an earlier one of the instance, and of two other
// instances, one of them killed (hole M4).
func TestSweep(t *testing.T) {
	h := inspected(t, "test-sweep")
	self := string(h.names.Owner)
	killed := owner.ID(self[:strings.LastIndexByte(self, '-')] + "-1") // had this one's number, and started earlier
	made := map[string]bool{                                           // and stays
		h.newPath("a-live"): true, h.newPath("dead"): false,
		filepath.Join(h.tmp, owner.Names{Instance: "test-sweep", Owner: killed}.Of("a-live-x")):      false,
		filepath.Join(h.tmp, owner.Names{Instance: "test-sweep2", Owner: killed}.Of("a-live-x")):     false,
		filepath.Join(h.tmp, owner.Names{Instance: "test-sweep2", Owner: owner.ID(self)}.Of("x-x")):  true,
		filepath.Join(h.tmp, owner.Names{Instance: "test-sweep2", Owner: "1-1-1-1"}.Of("somewhere")): true,
	}
	for path := range made {
		if err := os.MkdirAll(path+"/a/b", 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(path) })
	}
	if err := h.sweep(func(id string) bool { return id == "a-live" }); err != nil {
		t.Fatal(err)
	}
	for path, stays := range made {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v, and it should stay: %v", path, err, stays)
		}
	}
}

// TestHoleL2OthersCanNotTouchTheCanaries: another user lists /tmp, connects to listeners and fakes
// a box's directories during a proof. The sandbox must still become ready.
func TestHoleL2OthersCanNotTouchTheCanaries(t *testing.T) {
	h := inspected(t, "test-others")
	c, err := newCanaries(h.newPath("_canaries"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	squat := filepath.Join(h.tmp, h.names.Of("_probe"))
	script := fmt.Sprintf(`
import glob, os, socket
touched = []
for directory in glob.glob(%q):
    for attempt in (lambda: os.listdir(directory), lambda: os.unlink(directory), lambda: open(directory + "/x", "w")):
        try: touched.append(attempt())
        except OSError: pass
os.makedirs(%q + "/inner")
os.chmod(%[2]q, 0)
shown = [line.split()[-1] for line in open("/proc/net/unix") if %q in line or %q in line]
addresses = [(socket.AF_UNIX, "\0" + s[1:] if s[0] == "@" else s) for s in shown]
for family, name in addresses + [(socket.AF_INET, ("127.0.0.1", %d))]:
    with socket.socket(family) as s:
        try:
            s.connect(name)
            s.sendall(b"A" * 26)
            s.recv(1)
        except OSError: pass
print(touched, len(shown))`, filepath.Join(h.tmp, h.names.Of("_canaries"))+"*", squat, c.abstract, c.socket, c.port)
	other := exec.Command("/usr/bin/python3", "-c", script)
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4242, Gid: 4242}}
	t.Cleanup(func() { os.RemoveAll(squat) })
	out, err := other.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "[] 2" { // both names of sockets are in the kernel's list
		t.Errorf("another user: %v %s", err, out)
	}
	if text, err := os.ReadFile(c.file); err != nil || string(text) != "canary" {
		t.Errorf("another user reached the file: %q, %v", text, err)
	}
	if err := h.sweep(func(string) bool { return false }); err != nil {
		t.Errorf("another user's directory: %v", err)
	}
	if info, err := os.Lstat(squat); err != nil || info.Sys().(*syscall.Stat_t).Uid != 4242 {
		t.Errorf("the sweep touched another user's directory: %v", err)
	}
	if _, _, err := h.python(t.Context(), "_probe", probeLimits(), "pass", nil); err != nil {
		t.Errorf("a box can't be opened because somebody has made a directory: %v", err)
	}
}
