package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/computclaw/airlock/app/egress/rules"
)

// newTransport returns an HTTP/1.1 transport for one host, with one connection at a time. It has no
// redirects, proxies or compression.
func (e *server) newTransport() *http.Transport {
	return &http.Transport{
		DialContext:            func(ctx context.Context, _, _ string) (net.Conn, error) { return e.dialHost(ctx) },
		DialTLSContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return e.dialHostTLS(ctx) },
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{}, // no HTTP/2
		DisableCompression:     true,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        e.session.gateway.limits.Idle,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         bufferSize,
		WriteBufferSize:        bufferSize,
	}
}

// dialHost returns Dial's connection, or a new one by the same rules.
func (e *server) dialHost(ctx context.Context) (net.Conn, error) {
	if tcp := e.ready; tcp != nil {
		e.ready = nil
		return &upstream{TCPConn: tcp, conn: e.conn}, nil
	}
	tcp, to, err := e.session.redial(ctx, e)
	if err != nil {
		return nil, err
	}
	e.conn.use(tcp, to)
	if e.ctx.Err() != nil { // it was cut meanwhile, and did not know this one yet
		e.conn.drop()
	}
	return &upstream{TCPConn: tcp, conn: e.conn}, nil
}

// redial connects again for an open connection, and judges list, addresses and rate anew.
func (s *Session) redial(ctx context.Context, e *server) (*net.TCPConn, target, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, target{}, newDenial(rules.Closed, nil)
	}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	if s.bytes.Load() >= s.gateway.limits.Bytes {
		return nil, target{}, newDenial(rules.Bytes, nil)
	}
	entry, rule := s.decide(e.host.Name, e.host.Port)
	if rule != "" {
		return nil, target{}, newDenial(rule, nil)
	}
	return s.connect(ctx, entry, e.host.Name, e.host.Port)
}

type handshakeError struct{ cause error }

func (h *handshakeError) Error() string {
	return fmt.Sprintf("TLS handshake with the host: %v", h.cause)
}
func (h *handshakeError) Unwrap() error { return h.cause }

// dialHostTLS returns a connection to a host whose certificate is verified.
func (e *server) dialHostTLS(ctx context.Context) (net.Conn, error) {
	tcp, err := e.dialHost(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, e.session.gateway.limits.Dial)
	defer cancel()
	conn := tls.Client(tcp, &tls.Config{
		ServerName:         e.host.Name,
		RootCAs:            e.session.gateway.roots,
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"},
		ClientSessionCache: e.session.tickets,
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = tcp.Close()
		return nil, &handshakeError{err}
	}
	return conn, nil
}

// upstream is a connection to the host, counted for its box.
type upstream struct {
	*net.TCPConn
	conn *intercepted
}

// Read reads from the host.
func (u *upstream) Read(p []byte) (int, error) {
	n, err := u.TCPConn.Read(p)
	if !u.conn.countReceived(n) {
		return n, newDenial(rules.Bytes, nil)
	}
	return n, err
}

// Write writes to the host.
func (u *upstream) Write(p []byte) (int, error) {
	n, err := u.TCPConn.Write(p)
	if !u.conn.countSent(n) {
		return n, newDenial(rules.Bytes, nil)
	}
	return n, err
}

// errTooLong: the body exceeds its announced length.
var errTooLong = errors.New("a body longer than announced")

// ruleOfRequest names why a request got no whole answer.
func (x *exchange) ruleOfRequest(err error) string {
	var d *denial
	var h *handshakeError
	var dial *net.OpError
	switch {
	case x.session.bytes.Load() > x.session.gateway.limits.Bytes:
		return rules.Bytes
	case x.session.ctx.Err() != nil:
		return rules.Closed
	case errors.As(context.Cause(x.ctx), &d):
		return d.rule
	case x.ctx.Err() != nil:
		return rules.Cancelled
	case x.body.isBroken():
		return rules.Malformed
	case errors.As(err, &d):
		return d.rule
	case errors.As(err, &h):
		return ruleOfHandshake(h.cause)
	case errors.As(err, &dial) && dial.Op == "dial", errors.Is(err, context.DeadlineExceeded):
		return failureOf(err)
	}
	return ruleOfBreak(err)
}
