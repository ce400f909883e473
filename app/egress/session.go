package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/computclaw/airlock/app"
)

// Session is one execution's egress. It is safe for concurrent use.
type Session struct {
	gateway *Gateway
	hosts   []app.Host // canonical
	limiter *rate.Limiter
	ledger  *ledger
	ctx     context.Context // ends with the session
	cancel  context.CancelFunc
	bytes   atomic.Int64

	mu      sync.Mutex
	closed  bool
	dialing int // connections being made
	open    map[*conn]struct{}
	dials   sync.WaitGroup
}

// Dial decides about host and port, which come from the box and are not trusted, resolves, checks every address and dials the checked one.
// ctx and the dial limit bound the dialling, not the connection. A refusal is an *app.Error with CodeForbidden, an allowed host that can't be
// reached one with CodeUnreachable; their hints name the next step, and both are in the ledger.
func (s *Session) Dial(ctx context.Context, host string, port int) (Conn, error) {
	started := time.Now()
	name, err := canonicalTarget(host, port)
	if err != nil {
		return nil, s.refuse(printable(host), port, RuleName, err)
	}
	entry, rule := decide(s.hosts, name, port)
	if rule != "" {
		return nil, s.refuse(name, port, rule, nil)
	}
	if rule := s.begin(); rule != "" {
		return nil, s.refuse(name, port, rule, nil)
	}
	defer s.dials.Done()

	tcp, target, err := s.connect(ctx, entry, name, port)
	if err != nil {
		s.abandon()
		rule, cause := s.ruleOf(err)
		return nil, s.refuse(name, port, rule, cause)
	}
	return s.opened(tcp, app.Connection{
		Host: name, Port: port, Verdict: app.VerdictAllowed, Rule: entry.String(),
		Address: target.String(), StartedAt: started, Count: 1,
	}), nil
}

// Refused records a name that the box's resolver did not answer because it is not on the list.
func (s *Session) Refused(host string) {
	if name, err := app.CanonicalName(host); err == nil {
		_ = s.refuse(name, 0, RuleNotListed, nil)
		return
	}
	_ = s.refuse(printable(host), 0, RuleName, nil)
}

// Ledger returns what the execution did on the network so far: one row per connection, repeated refusals and failures of one host, port and rule in one
// row, at most app.MaxConnections of them and one more with RuleMore that counts the rest. Rows keep their position from call to call.
// Open connections show their figures so far. After Close it is final.
func (s *Session) Ledger() []app.Connection { return s.ledger.snapshot() }

// Close cuts every open connection without sending what is still buffered, and refuses new ones. It returns when no dial is under way.
func (s *Session) Close() {
	s.mu.Lock()
	s.closed = true
	open := make([]*conn, 0, len(s.open))
	for c := range s.open {
		open = append(open, c)
	}
	s.mu.Unlock()
	s.cancel()
	for _, c := range open {
		c.cut()
	}
	s.dials.Wait()
}

// begin takes one of the execution's connections, or returns the rule against it.
func (s *Session) begin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return RuleClosed
	case s.bytes.Load() >= s.gateway.limits.Bytes:
		return RuleBytes
	case s.dialing+len(s.open) >= s.gateway.limits.Connections:
		return RuleConnections
	}
	s.dialing++
	s.dials.Add(1)
	return ""
}

// abandon gives back what begin took.
func (s *Session) abandon() {
	s.mu.Lock()
	s.dialing--
	s.mu.Unlock()
}

// opened turns what begin took into an open connection; one that comes too late is cut.
func (s *Session) opened(tcp *net.TCPConn, record app.Connection) *conn {
	c := newConn(s, tcp)
	c.row = s.ledger.opened(c, record)
	s.mu.Lock()
	s.dialing--
	s.open[c] = struct{}{}
	closed := s.closed
	s.mu.Unlock()
	c.idle.Reset(s.gateway.limits.Idle)
	if closed {
		c.cut()
	}
	return c
}

func (s *Session) ended(c *conn) {
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	s.ledger.ended(c.row)
}

// connect waits its turn, finds the addresses and dials them in order until one answers.
func (s *Session) connect(ctx context.Context, entry app.Host, name string, port int) (*net.TCPConn, netip.AddrPort, error) {
	ctx, cancel := context.WithTimeout(ctx, s.gateway.limits.Dial)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	if err := s.wait(ctx); err != nil {
		return nil, netip.AddrPort{}, err
	}
	targets, err := s.gateway.resolve(ctx, entry, name, port)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return s.gateway.dialFirst(ctx, targets)
}

// wait returns when the rate admits one more connection.
func (s *Session) wait(ctx context.Context) error {
	err := s.limiter.Wait(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return denied(RuleRate, err)
}

// refuse records and returns why there is no connection.
func (s *Session) refuse(host string, port int, rule string, cause error) error {
	c := app.Connection{Host: host, Port: port, Verdict: verdictOf(rule), Rule: rule, StartedAt: time.Now(), Count: 1}
	s.ledger.refused(c)
	e := Explain(c)
	e.Cause = cause
	return e
}

// ruleOf names the rule behind a failed connect.
func (s *Session) ruleOf(err error) (string, error) {
	var d *denial
	switch {
	case s.ctx.Err() != nil:
		return RuleClosed, err
	case errors.As(err, &d):
		return d.rule, d.cause
	case errors.Is(err, context.Canceled):
		return RuleCancelled, err
	}
	return failureOf(err), err
}
