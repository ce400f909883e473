package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/head"
	"github.com/computclaw/airlock/app/egress/pipe"
	"github.com/computclaw/airlock/app/egress/rules"
)

// intercepted is the box's end of a connection to our own server, which reads it.
type intercepted struct {
	*pipe.End
	link
	cancel context.CancelCauseFunc // ends the server's work; the cause is a denial if it was cut

	lingering sync.Once

	mu    sync.Mutex
	outer *net.TCPConn // the connection to the host in use, if any
}

var _ Conn = (*intercepted)(nil)

// lingerTime is how long a box may leave its side open after ours ended.
const lingerTime = 2 * time.Second

// serve gives the connection that begin took a server. tcp is its first connection to the host.
func (s *Session) serve(tcp *net.TCPConn, to target, entry app.Host, host head.Authority, how handling,
	started time.Time) *intercepted {
	box, ours := pipe.New()
	ctx, cancel := context.WithCancelCause(s.ctx)
	c := &intercepted{End: box, cancel: cancel, outer: tcp}
	c.init(s, host.Name, host.Port, to)
	c.cut = func(rule string) {
		cancel(newDenial(rule, nil))
		c.Break(net.ErrClosed)
		c.drop()
		_ = c.Close()
	}
	e := newServer(ctx, s, c, ours, entry, host, how)
	e.started, e.ready = started, tcp
	s.running.Go(func() {
		e.run()
		_ = ours.Close()
		cancel(nil)
		c.drop()
	})
	s.keep(&c.link)
	return c
}

// Read reads what the server says.
func (c *intercepted) Read(p []byte) (int, error) {
	n, err := c.End.Read(p)
	c.linger(errors.Is(err, io.EOF))
	return n, err
}

// WriteTo copies what the server says to w.
func (c *intercepted) WriteTo(w io.Writer) (int64, error) {
	n, err := c.End.WriteTo(w)
	c.linger(err == nil)
	return n, err
}

// linger gives the box time to read the end and close its side.
func (c *intercepted) linger(ended bool) {
	if ended {
		c.lingering.Do(func() { time.AfterFunc(lingerTime, func() { c.cut(rules.Cancelled) }) })
	}
}

// use makes tcp the current connection to the host, and cuts it if it is no longer allowed.
func (c *intercepted) use(tcp *net.TCPConn, to target) {
	c.mu.Lock()
	c.outer = tcp
	c.mu.Unlock()
	s := c.session
	s.mu.Lock()
	c.target = to
	lost := !s.allowsLocked(&c.link)
	s.mu.Unlock()
	if lost {
		c.cut(rules.Restricted)
	}
}

// drop resets the connection to the host.
func (c *intercepted) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outer != nil {
		_ = c.outer.SetLinger(0)
		_ = c.outer.Close()
		c.outer = nil
	}
}

// SetLinger with 0 resets: what the box sent so far must not look complete.
func (c *intercepted) SetLinger(seconds int) error {
	if seconds == 0 {
		c.Break(net.ErrClosed)
	}
	return nil
}

func (c *intercepted) Close() error {
	c.end(func() {
		c.cancel(nil) // first: what fails from here on was given up
		_ = c.End.Close()
	})
	return nil
}
