package main

import (
	"io"
	"net"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/plugins/wire"
)

// connection is a script's connection with its stream to the engine. The side that breaks sends
// Abort and ends its stream after the other side. Otherwise the end, which looks like success,
// could overtake Abort.
type connection struct {
	network *network
	conn    *net.TCPConn
	stream  *yamux.Stream
	broken  bool // we sent Abort; guarded by network.mu
}

func (n *network) remember(stream *yamux.Stream, conn *net.TCPConn) *connection {
	c := &connection{network: n, conn: conn, stream: stream}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open[stream.StreamID()] = c
	return c
}

// relay copies both ways until both directions end. It calls sent when the script's ends.
func (c *connection) relay(sent func()) {
	upward := make(chan struct{})
	go func() {
		defer close(upward)
		defer sent()
		if _, err := io.CopyBuffer(c.stream, onlyReader{c.conn}, make([]byte, wire.Piece)); err != nil && c.abort() {
			return
		}
		if !c.isBroken() {
			c.stream.Close()
		}
	}()
	if _, err := io.CopyBuffer(onlyWriter{c.conn}, c.stream, make([]byte, wire.Piece)); err != nil {
		c.abort()
		_, _ = io.Copy(io.Discard, c.stream)
	}
	_ = c.conn.CloseWrite()
	<-upward
}

// close ends the rest. It reads to the engine's end, so both sides forget the stream before its
// slot is reused.
func (c *connection) close() {
	c.forget(false)
	c.stream.Close()
	_, _ = io.Copy(io.Discard, c.stream)
	_ = c.conn.Close()
}

// abort tells the engine that the script's end broke. It returns false if the engine knows.
func (c *connection) abort() bool {
	if !c.forget(true) {
		return false
	}
	reset(c.conn)
	_ = c.network.guest.send(wire.Message{Abort: &wire.Abort{Stream: c.stream.StreamID()}})
	return true
}

func (c *connection) forget(broken bool) bool {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.open[c.stream.StreamID()]
	delete(n.open, c.stream.StreamID())
	c.broken = c.broken || ok && broken
	return ok
}

func (c *connection) isBroken() bool {
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	return c.broken
}

// abort breaks the script's end after the engine's broke.
func (n *network) abort(id uint32) {
	n.mu.Lock()
	c := n.open[id]
	delete(n.open, id)
	n.mu.Unlock()
	if c != nil {
		reset(c.conn)
	}
}

// reset closes a connection so that the script sees an error.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

// onlyWriter and onlyReader hide net.TCPConn's own copying, which would only use a larger buffer.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)
