package conns

import (
	"container/list"
	"net"
)

// mostOfOne bounds what is counted of one connection, in bytes: its headers and what a small body
// has. What requests and answers hold beyond is for the server to bound, which knows what they are.
const mostOfOne = 96 << 10

// Conn is one connection of a Set.
type Conn struct {
	net.Conn
	set  *Set
	key  string
	from *address

	// The set's mu guards the rest.
	place   *list.Element // in waiting; nil while the server works for it
	held    int64
	serving bool // a handler has its request
	gone    bool
}

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.set.hold(c, n)
	}
	return n, err
}

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (int, error) {
	waited := c.startsWrite()
	more := c.set.hold(c, len(p))
	defer c.endsWrite(waited, more)
	return c.Conn.Write(p)
}

// startsWrite reports whether the connection waited for its other end already.
func (c *Conn) startsWrite() (waited bool) {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	if c.place != nil {
		return true
	}
	c.set.waitsLocked(c)
	return false
}

func (c *Conn) endsWrite(waited bool, more int64) {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.set.releaseLocked(c, min(more, c.held))
	if !waited {
		c.set.busyLocked(c)
	}
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.set.mu.Lock()
	c.set.forgetLocked(c)
	c.set.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite has net/http let a client read why its request was refused, before what it still sends
// is refused too.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// cut ends a connection that gives way; nil is none.
func (c *Conn) cut() {
	if c == nil {
		return
	}
	c.set.logRefusal(&c.set.closed, 1)
	abort(c.Conn)
}

// abort closes a connection so that the kernel keeps nothing of it, neither what was not sent yet.
func abort(raw net.Conn) {
	if tcp, ok := raw.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0)
	}
	raw.Close()
}

// begins says that a handler has the head of a request, and with complete that there is no more of
// it.
func (c *Conn) begins(complete bool) {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.serving = true
	if complete {
		c.set.releaseLocked(c, c.held)
		c.set.busyLocked(c)
		return
	}
	c.set.waitsLocked(c)
}

// completes says that the handler has all of the request.
func (c *Conn) completes() {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	if c.serving {
		c.set.releaseLocked(c, c.held)
		c.set.busyLocked(c)
	}
}

// ends says that the handler has returned: what is left is for the other end to send or to take.
func (c *Conn) ends() {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.serving = false
	c.set.releaseLocked(c, c.held)
	c.set.waitsLocked(c)
}
