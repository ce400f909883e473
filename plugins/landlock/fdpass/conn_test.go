package fdpass

import (
	"net/netip"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func pair(t *testing.T) (supervisor, guest *Conn) {
	t.Helper()
	a, b, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	if supervisor, err = Open(a); err != nil {
		t.Fatal(err)
	}
	if guest, err = Open(b); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		supervisor.Close()
		guest.Close()
	})
	return supervisor, guest
}

func TestRoundTrip(t *testing.T) {
	supervisor, guest := pair(t)
	rapid.Check(t, func(rt *rapid.T) {
		want := Message{
			Kind: Kind(rapid.Byte().Draw(rt, "kind")), On: rapid.Bool().Draw(rt, "on"),
			ABI: rapid.Uint8().Draw(rt, "abi"),
			ID:  rapid.Uint32().Draw(rt, "id"), Errno: unix.Errno(rapid.Uint32().Draw(rt, "errno")),
			To: netip.AddrPortFrom(netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(rt, "address"))),
				rapid.Uint16().Draw(rt, "port")),
		}
		if err := supervisor.Send(want, -1); err != nil {
			rt.Fatal(err)
		}
		got, fd, err := guest.Receive()
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.AddrPort{})); err != nil || fd != -1 ||
			diff != "" {
			rt.Fatal(err, fd, diff)
		}
	})
}

func TestDescriptor(t *testing.T) {
	supervisor, guest := pair(t)
	file, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := supervisor.Send(Message{Kind: Connect}, int(file.Fd())); err != nil {
		t.Fatal(err)
	}
	m, fd, err := guest.Receive()
	if err != nil || m.Kind != Connect || fd < 0 {
		t.Fatal(m, fd, err)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %d, %v", flags, err)
	}
	unix.Close(fd)
}

func TestReceiveRefuses(t *testing.T) {
	for name, packet := range map[string][]byte{
		"short": make([]byte, size-1), "long": make([]byte, size+1), "longer": make([]byte, 1000),
		"neither on nor off": {1: 2, size - 1: 0},
	} {
		supervisor, guest := pair(t)
		if _, err := supervisor.conn.Write(packet); err != nil {
			t.Fatal(err)
		}
		if m, fd, err := guest.Receive(); err == nil {
			t.Errorf("%s: %+v, %d", name, m, fd)
		}
	}
	supervisor, guest := pair(t)
	supervisor.Close()
	if _, _, err := guest.Receive(); err == nil {
		t.Error("the end: no error")
	}
}

func TestOpenRefuses(t *testing.T) {
	pipe, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	streams, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(streams[1])
	for name, file := range map[string]*os.File{"pipe": pipe, "stream": os.NewFile(uintptr(streams[0]), "stream")} {
		if d, err := Open(file); err == nil {
			d.Close()
			t.Errorf("%s: opened", name)
		}
	}
}

// FuzzDecode checks that bytes from a guest decode to one of our messages, unchanged, or to none.
func FuzzDecode(f *testing.F) {
	f.Add(Message{ID: 7, On: true, ABI: 3, To: netip.MustParseAddrPort("127.0.0.1:443")}.encode())
	f.Add(make([]byte, size))
	f.Add(make([]byte, size+1))
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := decode(in)
		if (err == nil) != (len(in) == size && in[1] <= 1) {
			t.Fatalf("%x: %v", in, err)
		}
		if err != nil {
			return
		}
		back, err := decode(m.encode())
		if diff := cmp.Diff(m, back, cmpopts.EquateComparable(netip.AddrPort{})); err != nil || diff != "" {
			t.Fatalf("%x: %v %s", in, err, diff)
		}
	})
}
