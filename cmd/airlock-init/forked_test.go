package main

import (
	"io"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/yamux"
	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/template"
	"github.com/computclaw/airlock/plugins/wire"
)

// openFDs lists what this process has open.
func openFDs(t *testing.T) (list []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			list = append(list, e.Name()+" "+to)
		}
	}
	return list
}

// leavesNothingOpen calls start with the link of a box, whose PID 1 has sent files and the answers
// to all orders, and asserts that it closes what came.
func leavesNothingOpen(t *testing.T, files []*os.File, start func(link *os.File)) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which closes files too, some day
	before := openFDs(t)
	pid1, link, err := fdlink.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := pid1.Send(template.Event{Born: &template.Born{PID: 2, Loaded: true}}, files...); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			fds, err := pid1.Receive(&template.Order{})
			if err != nil {
				return
			}
			fdlink.CloseAll(fds)
			_ = pid1.Send(template.Event{Done: &template.Done{}})
		}
	}()
	start(link)
	pid1.Close()
	<-ended
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		now := openFDs(t)
		if slices.Equal(before, now) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("before -, after +: %s", cmp.Diff(before, now))
		}
	}
}

// boxFiles returns what a box is born with.
func boxFiles(t *testing.T) []*os.File {
	t.Helper()
	must := func(f *os.File, err error) *os.File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	other, handoff, err := fdlink.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	udp, err := net.ListenUDP("udp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	tcp, err := net.ListenTCP("tcp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	return []*os.File{must(handoff, nil), must(os.Open("/proc")), must(udp.File()), must(tcp.File()), must(udp.File())}
}

// TestABoxThatDoesNotStartLeavesNothingOpen in the process that serves all boxes of a template.
func TestABoxThatDoesNotStartLeavesNothingOpen(t *testing.T) {
	for name, wrong := range map[string]func([]*os.File) []*os.File{
		"too few":              func(all []*os.File) []*os.File { return all[:4] },
		"no link":              func(all []*os.File) []*os.File { all[0] = all[1]; return all },
		"no socket for names":  func(all []*os.File) []*os.File { all[2] = all[1]; return all },
		"no listener for them": func(all []*os.File) []*os.File { all[3] = all[1]; return all },
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothingOpen(t, wrong(boxFiles(t)), func(link *os.File) {
				l, err := fdlink.Open(link)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := joinForked(l, &preload{}); err == nil {
					t.Error("the box was joined")
				}
			})
		})
	}
	t.Run("another runner", func(t *testing.T) {
		leavesNothingOpen(t, boxFiles(t), func(link *os.File) { failToBoot(t, link) })
	})
}

// failToBoot serves a box of a template with another runner.
func failToBoot(t *testing.T, link *os.File) {
	t.Helper()
	stdin, toBox, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBox, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := yamux.Client(duplex{fromBox, toBox}, wire.Mux(wire.EngineWindow))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	control, err := engine.OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = wire.Write(control, wire.Header{Kind: wire.Control})
		_ = wire.Write(control, wire.Message{Boot: &wire.Boot{Runner: []byte("one")}})
	}()
	theirs := make([]int, 2)
	for i, f := range []*os.File{stdin, stdout} {
		if theirs[i], err = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	log, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	serveForked(&preload{runner: []byte("another")}, theirs[0], theirs[1], log, link)
	said, err := os.ReadFile(log.Name())
	want := "airlock-init: boot: the template has another runner than this box shall have\n"
	if err != nil || string(said) != want {
		t.Errorf("%q, %v", said, err)
	}
}

// duplex is the engine's end of a box's pipes.
type duplex struct {
	io.ReadCloser
	io.Writer
}

func (d duplex) Close() error {
	_ = d.Writer.(io.Closer).Close()
	return d.ReadCloser.Close()
}

// TestAClosedSYNSocketIsNotRead: its number is another box's by then.
func TestAClosedSYNSocketIsNotRead(t *testing.T) {
	number, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	syn := newSYNSocket(number)
	syn.file.Close()
	theirs, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	raw, err := theirs.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	theirNumber := 0
	if err := raw.Control(func(fd uintptr) { theirNumber = int(fd) }); err != nil {
		t.Fatal(err)
	}
	if theirNumber != number {
		if err := unix.Dup3(theirNumber, number, unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(number)
	}
	if _, err := theirs.WriteToUDP([]byte("of another box"), theirs.LocalAddr().(*net.UDPAddr)); err != nil {
		t.Fatal(err)
	}
	syn.drain(nil)
	_ = theirs.SetReadDeadline(time.Now().Add(10 * time.Second))
	got := make([]byte, 32)
	if n, err := theirs.Read(got); string(got[:n]) != "of another box" || err != nil {
		t.Errorf("%q, %v", got[:n], err)
	}
}

// TestABoxThatIsGoneReportsNoStatus: a forked box's PID 1 may die before the script.
func TestABoxThatIsGoneReportsNoStatus(t *testing.T) {
	pid1, theirs, err := fdlink.New()
	if err != nil {
		t.Fatal(err)
	}
	link, err := fdlink.Open(theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	b := &forked{link: link, ended: make(chan unix.WaitStatus, 1), gone: make(chan struct{}), done: make(chan done)}
	g := &guest{box: b, runner: &runner{}, exited: true, sdk: &channel{closed: b.gone}, net: &network{}}
	pid1.Close()
	b.obey()
	g.await(b.reap(0))
	if g.ended {
		t.Error("the script's end was reported")
	}
}
