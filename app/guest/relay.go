package guest

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins/wire"
)

// relay serves one connection of the script. Dial decides, then each direction flows and ends
// separately.
func (r *run) relay(stream *yamux.Stream, header wire.Header) error {
	host, port := header.Host, header.Port
	if !hostName(host) || port < 0 || port > 65535 || !recordType(header.Record) ||
		!header.Limit.Valid() {
		return violation("a connection to something that isn't a host name and port")
	}
	sent := r.sends()
	defer sent()
	defer finish(stream)
	if r.connect.Wait(r.ctx) != nil {
		return nil
	}
	if header.Limit != "" {
		r.handler.Limited(host, port, header.Limit)
		_ = wire.Write(stream, wire.ConnectReply{})
		return nil
	}
	if header.Record != "" {
		r.handler.Unanswered(host, header.Record)
		_ = wire.Write(stream, wire.ConnectReply{})
		return nil
	}
	conn, err := r.handler.Dial(r.ctx, host, port)
	if err != nil {
		_ = wire.Write(stream, wire.ConnectReply{Error: app.Truncate(err.Error(), 500)})
		return nil
	}
	c := r.adopt(stream, conn)
	defer c.close()
	if wire.Write(stream, wire.ConnectReply{OK: true}) != nil {
		return nil
	}
	var both sync.WaitGroup
	both.Go(func() {
		defer sent()
		if _, err := io.CopyBuffer(conn, stream, make([]byte, wire.Piece)); err != nil {
			c.abort()
			_, _ = io.Copy(io.Discard, stream)
			return
		}
		_ = conn.CloseWrite()
	})
	both.Go(func() {
		if _, err := io.CopyBuffer(stream, conn, make([]byte, wire.Piece)); err != nil && c.abort() {
			return
		}
		if !c.isBroken() {
			stream.Close()
		}
	})
	both.Wait()
	return nil
}

func (r *run) sends() (sent func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sending++
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sending--; r.sending == 0 && r.quiet != nil {
			close(r.quiet)
			r.quiet = nil
		}
	})
}

// silence is closed when no connection has bytes on their way out. It may be called once.
func (r *run) silence() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	quiet := make(chan struct{})
	if r.sending == 0 {
		close(quiet)
		return quiet
	}
	r.quiet = quiet
	return quiet
}

// finish closes our side of a stream and awaits the other's, so the multiplexer can forget it.
func finish(stream *yamux.Stream) {
	stream.Close()
	_, _ = io.Copy(io.Discard, stream)
}

// connection is a connection that Dial has made. Either end may break. The side that notices sends
// Abort, and ends its stream only after the other side has. Otherwise the stream's end, which looks
// like success, could overtake the message.
type connection struct {
	run    *run
	id     uint32 // of its stream
	conn   Conn
	close  func() // once
	broken bool   // we sent Abort; guarded by run.mu
}

// adopt registers the connection. The box can then abort it, and the end of the run closes it.
func (r *run) adopt(stream *yamux.Stream, conn Conn) *connection {
	c := &connection{run: r, id: stream.StreamID(), conn: conn}
	closeConn := sync.OnceFunc(func() { _ = conn.Close() })
	stop := context.AfterFunc(r.ctx, closeConn)
	c.close = func() {
		stop()
		r.mu.Lock()
		delete(r.connections, c.id)
		r.mu.Unlock()
		closeConn()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connections[c.id] = c
	return c
}

// abort tells the box that the outer end broke. It reports false if the box knows.
func (c *connection) abort() bool {
	c.run.mu.Lock()
	_, ok := c.run.connections[c.id]
	delete(c.run.connections, c.id)
	c.broken = c.broken || ok
	c.run.mu.Unlock()
	if ok {
		_ = c.run.session.post(c.run.ctx, wire.Message{Abort: &wire.Abort{Stream: c.id}})
		c.close()
	}
	return ok
}

func (c *connection) isBroken() bool {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	return c.broken
}

// drop breaks the outer end after the box's broke. It resets a TCP connection, so a truncated
// upload doesn't look complete.
func (c *connection) drop() {
	if tcp, ok := c.conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = tcp.SetLinger(0)
	}
	c.close()
}

// recordType checks the name of a type of DNS records, or "".
func recordType(name string) bool {
	return len(name) <= 8 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// hostName checks syntax only: what the guest's resolver would accept.
func hostName(name string) bool {
	if len(name) == 0 || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) == 0 || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}
