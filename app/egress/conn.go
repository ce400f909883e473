package egress

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// conn counts what passes and holds the session's limits.
type conn struct {
	session *Session
	tcp     *net.TCPConn
	row     *row
	up      atomic.Int64
	down    atomic.Int64
	last    atomic.Int64 // when a byte last passed, Unix nanoseconds
	idle    *time.Timer
	close   sync.Once
}

var _ Conn = (*conn)(nil)

// farAway is a time for a timer that is armed later.
const farAway = 1000 * time.Hour

func newConn(s *Session, tcp *net.TCPConn) *conn {
	c := &conn{session: s, tcp: tcp}
	c.last.Store(time.Now().UnixNano())
	c.idle = time.AfterFunc(farAway, c.checkIdle)
	return c
}

// Read reads from the host.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.tcp.Read(p)
	if spent := c.spend(n, &c.down); spent != nil {
		return n, spent
	}
	return n, err
}

// Write writes to the host.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.tcp.Write(p)
	if spent := c.spend(n, &c.up); spent != nil {
		return n, spent
	}
	return n, err
}

// CloseWrite ends the sending side.
func (c *conn) CloseWrite() error { return c.tcp.CloseWrite() }

// Close ends the connection in order: what was written is still delivered.
func (c *conn) Close() error {
	var err error
	c.close.Do(func() {
		c.idle.Stop()
		err = c.tcp.Close()
		c.session.ended(c)
	})
	return err
}

// cut ends the connection at once: what is still in the kernel's buffer is dropped and the host sees a reset.
func (c *conn) cut() {
	_ = c.tcp.SetLinger(0)
	_ = c.Close()
}

// spend counts n bytes and cuts the connection when the execution has moved more than it may.
func (c *conn) spend(n int, counter *atomic.Int64) error {
	if n <= 0 {
		return nil
	}
	counter.Add(int64(n))
	c.last.Store(time.Now().UnixNano())
	if c.session.bytes.Add(int64(n)) <= c.session.gateway.limits.Bytes {
		return nil
	}
	c.cut()
	return io.ErrClosedPipe
}

// checkIdle cuts the connection if nothing passed for too long, else looks again when that could be.
func (c *conn) checkIdle() {
	limit := c.session.gateway.limits.Idle
	rested := time.Since(time.Unix(0, c.last.Load()))
	if rested >= limit {
		c.cut()
		return
	}
	c.idle.Reset(limit - rested)
}
