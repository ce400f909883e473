package egress

import (
	"net"
	"time"
)

// NetConn lets Go's own clients use a connection of a session. Deadlines do nothing: contexts and
// the session's limits bound it.
func NetConn(c Conn) net.Conn { return netConn{c} }

type netConn struct{ Conn }

func (netConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (netConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (netConn) SetDeadline(time.Time) error      { return nil }
func (netConn) SetReadDeadline(time.Time) error  { return nil }
func (netConn) SetWriteDeadline(time.Time) error { return nil }
