package bubblewrap

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// initProcess is a handle on a box's PID 1 that can't be mistaken for a later process with the same number.
type initProcess struct {
	mu sync.Mutex
	fd int // pidfd; -1 until known
}

func newInitProcess() *initProcess { return &initProcess{fd: -1} }

// is takes pid for PID 1 if it's still a child of outer.
func (p *initProcess) is(pid, outer int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // gone, and all of the box with it
	}
	if parentOf(pid) != outer {
		unix.Close(fd)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fd = fd
}

// kill ends the pid namespace, if it's known yet.
func (p *initProcess) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fd >= 0 {
		_ = unix.PidfdSendSignal(p.fd, unix.SIGKILL, nil, 0)
	}
}

// wait returns when PID 1 has ended, which it does only after every other process of its namespace.
func (p *initProcess) wait(limit time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fd < 0 {
		return nil
	}
	deadline := time.Now().Add(limit)
	for {
		left := max(time.Until(deadline), 0)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, int(left.Milliseconds()))
		switch {
		case n > 0:
			return nil
		case err != nil && err != unix.EINTR:
			return err
		case left == 0:
			return errors.New("the box's first process survives")
		}
	}
}

func (p *initProcess) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fd >= 0 {
		unix.Close(p.fd)
		p.fd = -1
	}
}
