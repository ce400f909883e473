package fdlink

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func pair(t *testing.T) (ours, theirs *Link) {
	t.Helper()
	ours, file, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err = Open(file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ours.Close()
		theirs.Close()
	})
	return ours, theirs
}

func TestDescriptor(t *testing.T) {
	ours, theirs := pair(t)
	file, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := ours.Send("null", file); err != nil {
		t.Fatal(err)
	}
	var said string
	fds, err := theirs.Receive(&said)
	if err != nil || said != "null" || len(fds) != 1 {
		t.Fatal(said, fds, err)
	}
	defer CloseAll(fds)
	flags, err := unix.FcntlInt(uintptr(fds[0]), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %d, %v", flags, err)
	}
}

func TestReceiveRefuses(t *testing.T) {
	ours, theirs := pair(t)
	var said string
	for _, packet := range []string{"", "1", `"a" "b"`} {
		if _, err := ours.Write([]byte(packet)); err != nil {
			t.Fatal(err)
		}
		if fds, err := theirs.Receive(&said); err == nil {
			t.Errorf("%q: %q, %d", packet, said, fds)
		}
	}
	if err := ours.Send(strings.Repeat("x", maxMessage)); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Receive(&said); !errors.Is(err, ErrCut) {
		t.Errorf("too long: %v", err)
	}
	ours.Close()
	if _, err := theirs.Receive(&said); err == nil {
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
		if l, err := Open(file); err == nil {
			l.Close()
			t.Errorf("%s: opened", name)
		}
	}
}
