package egress

import (
	"io"
	"net"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// conn relays bytes untouched, counts them and holds the session's limits.
type conn struct {
	link
	tcp   *net.TCPConn
	row   *row
	guard *guard // looks at the first bytes; nil if they may be anything
}

var _ Conn = (*conn)(nil)

func newConn(s *Session, tcp *net.TCPConn, name string, port int, to target) *conn {
	c := &conn{tcp: tcp}
	c.init(s, name, port, to)
	c.cut = func(rule string) {
		_ = c.tcp.SetLinger(0)
		_ = c.finish(rule)
	}
	return c
}

// Read reads from the host, once the guard has passed.
func (c *conn) Read(p []byte) (int, error) {
	if c.guard != nil && !c.guard.wait() {
		return c.guard.read(p)
	}
	n, err := c.tcp.Read(p)
	if !c.countReceived(n) {
		c.cut(rules.Bytes)
		return n, io.ErrClosedPipe
	}
	return n, err
}

// Write writes to the host. Refused bytes vanish.
func (c *conn) Write(p []byte) (int, error) {
	if c.guard != nil && !c.guard.passed {
		return c.passToGuard(p)
	}
	return c.pass(p)
}

func (c *conn) pass(p []byte) (int, error) {
	n, err := c.tcp.Write(p)
	if !c.countSent(n) {
		c.cut(rules.Bytes)
		return n, io.ErrClosedPipe
	}
	return n, err
}

func (c *conn) passToGuard(p []byte) (int, error) {
	held, verdict := c.guard.look(p)
	switch verdict {
	case guardWaits, guardRefuses:
		return len(p), nil
	}
	if _, err := c.pass(held); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite ends the sending side.
func (c *conn) CloseWrite() error {
	if c.guard != nil && !c.guard.passed {
		c.guard.endInput()
		return nil
	}
	return c.tcp.CloseWrite()
}

// SetLinger does as net.TCPConn's: with 0, Close resets the connection.
func (c *conn) SetLinger(seconds int) error { return c.tcp.SetLinger(seconds) }

// Close ends the connection in order: written data is still delivered.
func (c *conn) Close() error { return c.finish("") }

// finish closes the connection and records a rule that ended it. The script sees only a reset.
func (c *conn) finish(rule string) error {
	var err error
	c.end(func() {
		if rule == rules.Restricted || rule == rules.Unknown {
			c.session.ledger.amend(c.row, func(r *app.Connection) { r.Verdict, r.Rule = rules.Verdict(rule), rule })
		}
		if c.guard != nil {
			c.guard.close()
		}
		err = c.tcp.Close()
		c.session.ledger.finish(c.row)
	})
	return err
}
