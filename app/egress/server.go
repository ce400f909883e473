package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/head"
	"github.com/computclaw/airlock/app/egress/rules"
)

// server speaks for one host on a box's connection: it reads, judges and forwards requests. It puts
// sealed values in and takes them out of answers. One goroutine runs it.
type server struct {
	ctx     context.Context
	session *Session
	conn    *intercepted
	entry   app.Host
	host    head.Authority
	how     handling
	started time.Time

	client    net.Conn // the box's side, inside TLS if it speaks that
	in        *bufio.Reader
	out       *bufio.Writer
	secure    bool // TLS on both sides
	requests  int
	transport *http.Transport
	// dialled but unused; the transport's dialling goroutine owns it after the first request
	ready *net.TCPConn
}

// firstHeads is how many times Limits.Head a plain connection may take to its first byte. A client
// may wait for the server to speak first.
const firstHeads = 4

const bufferSize = 64 << 10

func newServer(ctx context.Context, s *Session, c *intercepted, client net.Conn, entry app.Host, host head.Authority,
	how handling) *server {
	return &server{
		ctx: ctx, session: s, conn: c, client: client, entry: entry, host: host, how: how,
	}
}

// run serves until either side ends.
func (e *server) run() {
	if !e.open() {
		return
	}
	e.transport = e.newTransport()
	defer e.transport.CloseIdleConnections()
	for e.next() {
	}
	if e.secure {
		_ = e.client.(*tls.Conn).CloseWrite()
	}
}

// open detects the box's protocol and ends its TLS.
func (e *server) open() bool {
	headTime := e.session.gateway.limits.Head
	_ = e.client.SetReadDeadline(time.Now().Add(firstHeads * headTime))
	if e.how == readTLS {
		_ = e.client.SetReadDeadline(time.Now().Add(headTime))
	}
	if e.how == readEither && !e.guess() {
		return false
	}
	if e.how == readTLS && !e.handshake() {
		return false
	}
	e.in = bufio.NewReaderSize(e.client, bufferSize)
	e.out = bufio.NewWriterSize(e.client, bufferSize)
	return true
}

// guess decides by the first byte: TLS begins with a handshake record.
func (e *server) guess() bool {
	in := bufio.NewReaderSize(e.client, 16)
	first, err := in.Peek(1)
	if err != nil {
		e.silent(err)
		return false
	}
	e.client, e.how = buffered{e.client, in}, readHTTP
	if first[0] == handshakeRecord {
		e.how = readTLS
	}
	return true
}

func (e *server) handshake() bool {
	rule := ""
	_ = e.client.SetDeadline(time.Now().Add(e.session.gateway.limits.Head))
	conn := tls.Server(e.client, &tls.Config{
		MinVersion:                  tls.VersionTLS12,
		NextProtos:                  []string{"http/1.1"},
		SessionTicketsDisabled:      true, // or what one execution was given could serve another
		DynamicRecordSizingDisabled: true, // there is no network in between
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if rule = serverNameRule(h.ServerName, e.host.Name); rule != "" {
				return nil, errors.New(rule)
			}
			leaf, err := e.session.gateway.authority.Leaf(e.host.Name)
			if err != nil {
				rule = rules.Authority // it has ended, or the clock was moved
			}
			return leaf, err
		},
	})
	if err := conn.Handshake(); err != nil {
		e.handshakeFailed(rule, err)
		return false
	}
	_ = conn.SetDeadline(time.Time{})
	e.client, e.secure = conn, true
	return true
}

type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

// handshakeFailed records why the box's TLS failed, and answers clients of plain HTTP.
func (e *server) handshakeFailed(rule string, err error) {
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case rule != "":
	case e.session.ctx.Err() != nil:
		rule = rules.Closed
	case errors.As(err, &record) && record.Conn != nil, errors.As(err, &timeout) && timeout.Timeout():
		rule = rules.NotTLS
	case isDistrust(err):
		rule = rules.Distrust
	case isNoProtocol(err):
		rule = rules.HTTP2
	case errors.Is(err, io.EOF):
		e.silent(err)
		return
	default:
		rule = rules.Handshake
	}
	e.recordFailure(rule)
	if record.Conn != nil && looksLikeHTTP(record.RecordHeader[:]) {
		_, _ = e.client.Write(plainAnswer(
			app.Connection{Host: e.host.Name, Port: e.host.Port, Verdict: rules.Verdict(rule), Rule: rule}))
	}
}

// silent records a connection without a request.
func (e *server) silent(err error) {
	if e.requests > 0 {
		return
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		e.recordFailure(rules.Slow)
		return
	}
	r := e.session.ledger.add(e.conn.meter.Load(), app.Connection{
		Host: e.host.Name, Port: e.host.Port, Verdict: app.VerdictAllowed, Rule: e.entry.String(),
		Address: e.address(), StartedAt: e.started, Count: 1,
	})
	e.session.ledger.finish(r)
}

func (e *server) recordFailure(rule string) {
	_ = e.session.refuse(e.host.Name, e.host.Port, rule, nil)
}

// address is where the host was dialled last.
func (e *server) address() string {
	e.session.mu.Lock()
	defer e.session.mu.Unlock()
	return e.conn.target.String()
}

// waitHead returns a whole head's bytes, which stay in the buffer.
func (e *server) waitHead() ([]byte, error) {
	if e.requests > 0 {
		_ = e.client.SetReadDeadline(time.Time{}) // resting: Limits.Idle
	} else {
		_ = e.client.SetReadDeadline(time.Now().Add(firstHeads * e.session.gateway.limits.Head))
	}
	if _, err := e.in.Peek(1); err != nil {
		return nil, err
	}
	e.conn.touch()
	_ = e.client.SetReadDeadline(time.Now().Add(e.session.gateway.limits.Head))
	for seen := 0; ; {
		data, _ := e.in.Peek(e.in.Buffered())
		n, err := head.End(data, seen)
		if err != nil {
			return data, err
		}
		if n > 0 {
			_ = e.client.SetReadDeadline(time.Time{})
			return data[:n], nil
		}
		seen = len(data)
		if _, err := e.in.Peek(seen + 1); err != nil {
			return data, err
		}
	}
}
