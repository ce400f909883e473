package guest

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/plugins/wire"
)

// relay serves one connection of the script: Dial decides, then bytes flow both ways, each direction ending by itself.
func (r *run) relay(stream *yamux.Stream, host string, port int) error {
	sent := r.sends()
	defer sent()
	defer finish(stream)
	if !hostName(host) || port < 1 || port > 65535 {
		return violation("a connection to something that isn't a host name and port")
	}
	if r.connect.Wait(r.ctx) != nil {
		return nil
	}
	conn, err := r.handler.Dial(r.ctx, host, port)
	if err != nil {
		_ = wire.Write(stream, wire.ConnectReply{Error: cut(err.Error(), 500)})
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
		if _, err := io.Copy(conn, stream); err != nil {
			c.abort()
		}
		_ = conn.CloseWrite()
	})
	both.Go(func() {
		if _, err := io.Copy(stream, conn); err != nil {
			c.abort()
		}
		stream.Close()
	})
	both.Wait()
	return nil
}

// sends counts a connection that may have bytes on their way out, until the returned function is called.
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

// finish ends our side of a stream and waits for the other's, so that the multiplexer can forget it.
func finish(stream *yamux.Stream) {
	stream.Close()
	_, _ = io.Copy(io.Discard, stream)
}

// connection is one that Dial has made.
type connection struct {
	run   *run
	id    uint32 // of its stream
	close func() // once
}

// adopt makes the connection known, so that the box can abort it and the end of the run closes it.
func (r *run) adopt(stream *yamux.Stream, conn Conn) *connection {
	c := &connection{run: r, id: stream.StreamID()}
	closeConn := sync.OnceFunc(func() { _ = conn.Close() })
	stop := context.AfterFunc(r.ctx, closeConn)
	c.close = func() {
		stop()
		c.forget()
		closeConn()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropped[c.id] = closeConn
	return c
}

// abort tells the box that the outer end broke, unless it was the box that broke it.
func (c *connection) abort() {
	if c.forget() {
		_ = c.run.session.post(c.run.ctx, wire.Message{Abort: &wire.Abort{Stream: c.id}})
		c.close()
	}
}

func (c *connection) forget() bool {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	_, ok := c.run.dropped[c.id]
	delete(c.run.dropped, c.id)
	return ok
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
