package egress

import (
	"net"
	"time"
)

// NetConn makes a session's connection a net.Conn for Go's clients. Deadlines do nothing: contexts
// and the session's limits bound it.
func NetConn(c Conn) net.Conn { return netConn{c} }

type netConn struct{ Conn }

func (netConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (netConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (netConn) SetDeadline(time.Time) error      { return nil }
func (netConn) SetReadDeadline(time.Time) error  { return nil }
func (netConn) SetWriteDeadline(time.Time) error { return nil }
