package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/freezer"
	"github.com/computclaw/airlock/plugins/template"
	"github.com/computclaw/airlock/plugins/wire"
)

// forked is a box forked from a template. Its PID 1, another fork, acts inside; this process holds
// its sockets and pipes.
type forked struct {
	*freezer.Freezer
	link        *fdlink.Link
	interpreter template.Interpreter
	born        template.Born
	preload     *preload
	dir         *os.File // the box's /proc
	udp         net.PacketConn
	tcp         net.Listener
	syn         *synSocket

	ended chan unix.WaitStatus
	gone  chan struct{}
	last  template.Gone // from the closing of gone on

	asking sync.Mutex // one order at a time
	done   chan done
}

// done is the answer to an order.
type done struct {
	template.Done
	fds []int
}

const tmpOfForked = "/tmp"

// serveForked serves one box, and reports failures on stderr.
func serveForked(p *preload, stdin, stdout int, stderr, socket *os.File) {
	defer stderr.Close()
	pipe, err := newStdio(stdin, stdout)
	if err == nil {
		defer func() { _ = pipe.Close() }()
		err = serveOverLink(p, pipe, stderr, socket)
	}
	if err != nil {
		fmt.Fprintln(stderr, "airlock-init:", err)
	}
}

func serveOverLink(p *preload, pipe *stdio, stderr, socket *os.File) error {
	link, err := fdlink.Open(socket)
	if err != nil {
		return err
	}
	b, err := joinForked(link, p)
	if err != nil {
		return fmt.Errorf("join the box: %w", err)
	}
	defer b.close()
	go func() {
		b.obey()
		_ = pipe.Close() // which ends the session, if that doesn't end the box
	}()
	// streams are outside the box's memory, so they keep no more than the engine does
	return (&guest{box: b, tmp: tmpOfForked, log: stderr}).serve(pipe, wire.EngineWindow)
}

// joinForked returns a link's box. On failure nothing stays open.
func joinForked(link *fdlink.Link, p *preload) (*forked, error) {
	var born template.Event
	fds, err := link.Receive(&born)
	if err == nil && (born.Born == nil || len(fds) != 5) {
		fdlink.CloseAll(fds)
		err = errors.New("the box began with something else")
	}
	if err != nil {
		return nil, errors.Join(err, link.Close())
	}
	b := &forked{
		link: link, born: *born.Born, preload: p, dir: os.NewFile(uintptr(fds[1]), "proc"), syn: newSYNSocket(fds[4]),
		ended: make(chan unix.WaitStatus, 1), gone: make(chan struct{}), done: make(chan done, 1),
	}
	b.Freezer = newFreezer(b.kill, fmt.Sprintf("/proc/self/fd/%d", fds[1]))
	handoff, udp, tcp := os.NewFile(uintptr(fds[0]), "handoff"), os.NewFile(uintptr(fds[2]), "udp"),
		os.NewFile(uintptr(fds[3]), "tcp")
	defer udp.Close()
	defer tcp.Close()
	var problems [3]error
	b.interpreter.Link, problems[0] = fdlink.Open(handoff)
	b.udp, problems[1] = net.FilePacketConn(udp)
	b.tcp, problems[2] = net.FileListener(tcp)
	if err := errors.Join(problems[:]...); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// obey follows PID 1 until it ends, and the box with it.
func (b *forked) obey() {
	defer close(b.ended)
	defer close(b.done)
	left := sync.OnceFunc(func() { close(b.gone) })
	defer left()
	for {
		var e template.Event
		fds, err := b.link.Receive(&e)
		switch {
		case err != nil:
			return
		case e.Done != nil:
			select {
			case b.done <- done{*e.Done, fds}:
				fds = nil
			default: // nobody asked
			}
		case e.Ended != nil:
			b.ended <- unix.WaitStatus(*e.Ended)
		case e.Gone != nil:
			b.last = *e.Gone
			left()
		}
		fdlink.CloseAll(fds)
	}
}

// ask gives an order, and returns the answer's descriptors.
func (b *forked) ask(o template.Order, files ...*os.File) ([]int, error) {
	b.asking.Lock()
	defer b.asking.Unlock()
	if err := b.link.Send(o, files...); err != nil {
		return nil, err
	}
	answer, ok := <-b.done
	switch {
	case !ok:
		return nil, io.ErrUnexpectedEOF
	case answer.Error != "":
		return nil, errors.New(answer.Error)
	}
	return answer.fds, nil
}

func (b *forked) end() { _ = b.link.Close() }

func (b *forked) close() {
	b.Set(false)
	for _, c := range []io.Closer{b.link, b.dir, b.udp, b.tcp, b.syn.file} {
		if c != nil {
			_ = c.Close()
		}
	}
	if b.interpreter.Link != nil {
		_ = b.interpreter.Link.Close() // again, if the interpreter was started
	}
}

func (b *forked) fork(_ string, _ []string, attributes *syscall.ProcAttr) (int, error) {
	return b.born.PID, b.interpreter.Start(attributes)
}

func (b *forked) offerPreload(source, code []byte, compiles bool) (bool, error) {
	b.interpreter.Compiles = compiles
	return b.born.Loaded, b.preload.offer(b.born.Loaded, source, code)
}

func (b *forked) reap(int) (<-chan unix.WaitStatus, <-chan struct{}) { return b.ended, b.gone }

func (b *forked) kill(pid int, s unix.Signal) {
	_ = b.link.Send(template.Order{Kill: &template.Kill{PID: pid, Signal: int(s)}})
}

// spoke does nothing: only PID 1 is the OOM killer's first choice.
func (b *forked) spoke(int) {}

func (b *forked) syns() *synSocket { return b.syn }

func (b *forked) resolver() (net.PacketConn, net.Listener, error) { return b.udp, b.tcp, nil }

func (b *forked) listen(port int) (net.Listener, error) {
	fds, err := b.ask(template.Order{Listen: port})
	if err != nil {
		return nil, err
	}
	if len(fds) != 1 {
		fdlink.CloseAll(fds)
		return nil, errors.New("no socket for a port")
	}
	file := os.NewFile(uintptr(fds[0]), "listener")
	defer file.Close()
	return net.FileListener(file)
}

func (b *forked) write(dirs []string, files map[string][]byte) error {
	order := &template.Write{Dirs: dirs}
	var contents []*os.File
	defer func() {
		for _, f := range contents {
			f.Close()
		}
	}()
	for path, content := range files {
		from, err := pipeOf(content)
		if err != nil {
			return err
		}
		order.Files, contents = append(order.Files, path), append(contents, from)
	}
	_, err := b.ask(template.Order{Write: order}, contents...)
	return err
}

func (b *forked) isFull(dir string) bool { return slices.Contains(b.last.Full, dir) }
