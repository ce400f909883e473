package main

import (
	"net"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/wire"
)

// queue allows wire.MaxConnects open connections; more wait. Safe for concurrent use.
type queue struct {
	open     chan struct{}
	waiting  chan struct{}
	patience time.Duration
}

func newQueue() *queue {
	return &queue{
		open: make(chan struct{}, wire.MaxConnects), waiting: make(chan struct{}, wire.MaxWaiting),
		patience: wire.MaxWait,
	}
}

// join returns true once conn may be open; leave gives the place back. It returns false if too many
// wait, none ended in time, or the script gave up.
func (q *queue) join(conn *net.TCPConn) bool {
	select {
	case q.open <- struct{}{}:
		return true
	default:
	}
	select {
	case q.waiting <- struct{}{}:
		defer func() { <-q.waiting }()
	default:
		return false
	}
	patience := time.NewTimer(q.patience)
	defer patience.Stop()
	select {
	case q.open <- struct{}{}:
		if isGivenUp(conn) {
			q.leave()
			return false
		}
		return true
	case <-patience.C:
		return false
	}
}

func (q *queue) leave() { <-q.open }

// tcpEstablished is the kernel's number of that state.
const tcpEstablished = 1

// isGivenUp reports whether the script has closed its end.
func isGivenUp(conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		closed = err == nil && info.State != tcpEstablished
	})
	return err != nil || closed
}
