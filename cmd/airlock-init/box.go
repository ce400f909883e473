package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock-init/internal/resolver"
	"github.com/computclaw/airlock/plugins/freezer"
	"github.com/computclaw/airlock/plugins/wire"
)

type box interface {
	processes
	sockets
	files

	end()
}

type processes interface {
	// Set stops or resumes every process but PID 1, and returns whether they are frozen.
	Set(on bool) bool
	// fork starts the interpreter, or uses a waiting one.
	fork(path string, argv []string, attributes *syscall.ProcAttr) (pid int, err error)
	// offerPreload reports whether the interpreter has that runner. compiles: its code is wanted.
	offerPreload(source, code []byte, compiles bool) (bool, error)
	// reap waits until there are no processes, then closes gone. main's end (a process id) goes to
	// ended.
	reap(main int) (ended <-chan unix.WaitStatus, gone <-chan struct{})
	// kill signals a process, or all for -1.
	kill(pid int, s unix.Signal)
	// spoke is called after the interpreter's first message.
	spoke(pid int)
}

// sockets are in the box's network.
type sockets interface {
	resolver() (net.PacketConn, net.Listener, error)
	listen(port int) (net.Listener, error)
	syns() *synSocket // nil if there is none
}

// files are the box's own. Paths are relative to the script's first directory.
type files interface {
	// write makes directories and read-only files.
	write(dirs []string, files map[string][]byte) error
	// receive writes its input, or returns the problem for the agent.
	receive(from io.Reader, files []wire.File) (problem string)
	// artifacts reports whether there are any, and sends them.
	artifacts() (any bool, send func(io.Writer))
	isFull(dir string) bool
}

type own struct {
	*freezer.Freezer
	oomScore oomScore // of the runner
	syn      *synSocket
}

func newOwn(score oomScore, syn *synSocket) *own {
	return &own{Freezer: newFreezer(kill, "/proc"), oomScore: score, syn: syn}
}

func kill(pid int, s unix.Signal) { _ = unix.Kill(pid, s) }

func (o *own) end() { os.Exit(0) }

func (o *own) fork(path string, argv []string, attributes *syscall.ProcAttr) (int, error) {
	return syscall.ForkExec(path, argv, attributes)
}

func (o *own) offerPreload(_, _ []byte, _ bool) (bool, error) { return false, nil }

func (o *own) reap(main int) (<-chan unix.WaitStatus, <-chan struct{}) {
	ended, gone := make(chan unix.WaitStatus, 1), make(chan struct{})
	go reap(main, ended, gone)
	return ended, gone
}

func (o *own) kill(pid int, s unix.Signal) { kill(pid, s) }

func (o *own) spoke(pid int) { o.oomScore.give(pid) }

func (o *own) syns() *synSocket { return o.syn }

func (o *own) resolver() (net.PacketConn, net.Listener, error) {
	udp, err := net.ListenPacket("udp4", resolver.Address)
	if err != nil {
		return nil, nil, err
	}
	tcp, err := net.Listen("tcp4", resolver.Address)
	if err != nil {
		return nil, nil, errors.Join(err, udp.Close())
	}
	return udp, tcp, nil
}

func (o *own) listen(port int) (net.Listener, error) {
	return net.Listen("tcp4", fmt.Sprintf("0.0.0.0:%d", port))
}

func (o *own) write(dirs []string, files map[string][]byte) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for path, content := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := writeReadOnly(path, content); err != nil {
			return err
		}
	}
	return nil
}

func (o *own) receive(from io.Reader, files []wire.File) string {
	return filesProblem(receiveFiles(from, files))
}

func (o *own) artifacts() (bool, func(io.Writer)) {
	out := openOutDir(wire.MaxEntries)
	if out == nil {
		return false, nil
	}
	return true, out.send
}

// reap waits for every child, orphans included, until there are none. It sends the main process's
// wait status on ended, and closes gone at the end.
func reap(main int, ended chan<- unix.WaitStatus, gone chan<- struct{}) {
	defer close(gone)
	died := make(chan os.Signal, 1)
	signal.Notify(died, unix.SIGCHLD)
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // ECHILD
			return
		case pid == 0:
			<-died
		case pid == main:
			ended <- status
		}
	}
}

// killAll kills every process but PID 1 and returns when all are reaped. It never gives up: the
// box's owner has a deadline.
func killAll(b box, gone <-chan struct{}) {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		b.kill(-1, unix.SIGKILL)
		select {
		case <-gone:
			return
		case <-time.After(pause):
		}
	}
}
