package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/head"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
)

// Session is one execution's egress. It is safe for concurrent use.
type Session struct {
	gateway  *Gateway
	limiter  *rate.Limiter // new connections
	requests *rate.Limiter
	ledger   *ledger
	tickets  tls.ClientSessionCache // of the hosts that Airlock speaks TLS to
	ctx      context.Context        // ends with the session
	cancel   context.CancelFunc
	bytes    atomic.Int64
	incoming *swap.Swapper // all that the execution was given: what was taken away since still may not come back

	mu       sync.Mutex
	hosts    []app.Host // canonical
	sealed   []secrets.Resolved
	outgoing *swap.Swapper       // of sealed
	wild     map[string]struct{} // names that wildcards were used for
	closed   bool
	dialing  int // connections being made
	open     map[*link]struct{}
	running  sync.WaitGroup // dials, and servers of connections that are read
}

// Dial judges host and port, resolves, checks every address and dials a checked one. Host and port
// are untrusted. ctx and the dial limit bound only the dialling. Errors: *app.Error with
// CodeForbidden for a refusal, CodeUnreachable for an allowed host. Both have hints and are in the
// ledger. Later refusals are told in the box's protocol, and recorded too.
func (s *Session) Dial(ctx context.Context, host string, port int) (Conn, error) {
	started := time.Now()
	name, err := canonicalTarget(host, port)
	if err != nil {
		return nil, s.refuse(printable(host), port, rules.Name, err)
	}
	entry, rule := s.decide(name, port)
	if rule != "" {
		return nil, s.refuse(name, port, rule, nil)
	}
	known, err := s.gateway.known(ctx, name, port)
	if err != nil {
		return nil, s.refuse(name, port, s.unsearchedRule(err), err)
	}
	sealed := known != nil || s.incoming.Belongs(name, port)
	how := handlingOf(entry, port, sealed)
	if sealed && how != relayAny && s.gateway.authority == nil {
		return nil, s.refuse(name, port, rules.Authority, nil)
	}
	if rule := s.begin(); rule != "" {
		return nil, s.refuse(name, port, rule, nil)
	}
	defer s.running.Done()

	tcp, target, err := s.connect(ctx, entry, name, port)
	if err != nil {
		s.abandon()
		rule, cause := s.ruleOf(err)
		return nil, s.refuse(name, port, rule, cause)
	}
	if how == relayAny || how == relayTLS {
		rule := allowingRule(entry, how)
		if s.incoming.BelongsToName(name) {
			rule += ", " + rules.SealedElsewhere
		}
		c := s.openRelay(tcp, how, handlingOf(entry, port, true) != how, app.Connection{
			Host: name, Port: port, Verdict: app.VerdictAllowed, Rule: rule,
			Address: target.String(), StartedAt: started, Count: 1,
		}, target)
		s.cutKnown(&c.link) // a credential may have come between the look at them and now
		return c, nil
	}
	return s.serve(tcp, target, entry, head.Authority{Name: name, Port: port}, how, started), nil
}

// decide returns the entry that now allows a canonical name and port, or a rule.
func (s *Session) decide(name string, port int) (app.Host, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry, rule := decide(s.hosts, name, port)
	if rule == "" {
		rule = s.wildcardLocked(entry, name)
	}
	return entry, rule
}

// RecordRefused records a name that the box's resolver refused, by list or wildcard limit.
func (s *Session) RecordRefused(host string) {
	if name, err := app.CanonicalName(host); err == nil {
		if !isReverse(name) {
			_ = s.refuse(name, 0, s.unknownName(name), nil)
		}
		return
	}
	_ = s.refuse(printable(host), 0, rules.Name, nil)
}

// RecordLimited records a connection stopped by a limit of the box, or a name with port 0. Counted
// connections have rows of their own.
func (s *Session) RecordLimited(host string, port int, rule string) {
	if name, err := canonicalTarget(host, max(port, 1)); err == nil {
		_ = s.refuse(name, port, rule, nil)
		return
	}
	_ = s.refuse(printable(host), port, rule, nil)
}

// RecordUnanswered records a record type that the box's resolver does not answer.
func (s *Session) RecordUnanswered(host, record string) {
	name, err := app.CanonicalName(host)
	if err != nil || isReverse(name) {
		return
	}
	s.ledger.noteRefusal(app.Connection{Host: name, Verdict: app.VerdictDenied, Rule: rules.Record, Method: record,
		StartedAt: time.Now(), Count: 1})
}

// isReverse reports whether a name stands for an address. Nobody can allow one.
func isReverse(name string) bool {
	return strings.HasSuffix(name, ".in-addr.arpa") || strings.HasSuffix(name, ".ip6.arpa")
}

// Ledger returns a snapshot of the network activity: a row per read request or other connection.
// Repeated refusals and failures share a row. At most app.MaxConnections rows, and one with
// rules.More for the rest. Rows keep their positions. It is final after Close.
func (s *Session) Ledger() []app.Connection { return s.ledger.snapshot() }

// Close cuts open connections, drops buffered data and refuses new ones. It returns when no dial or
// request is under way.
func (s *Session) Close() {
	s.mu.Lock()
	s.closed = true
	open := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	s.cancel()
	for _, l := range open {
		l.cut(rules.Closed)
	}
	s.running.Wait()
}

// begin takes a connection's place, or returns the rule against it.
func (s *Session) begin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return rules.Closed
	case s.bytes.Load() >= s.gateway.limits.Bytes:
		return rules.Bytes
	case s.dialing+len(s.open) >= s.gateway.limits.Connections:
		return rules.Connections
	}
	s.dialing++
	s.running.Add(1)
	return ""
}

// abandon gives back what begin took.
func (s *Session) abandon() {
	s.mu.Lock()
	s.dialing--
	s.mu.Unlock()
}

// openRelay opens a connection that passes untouched; see link.unread.
func (s *Session) openRelay(tcp *net.TCPConn, how handling, unread bool, record app.Connection, to target) *conn {
	c := newConn(s, tcp, record.Host, record.Port, to)
	c.unread = unread
	if how == relayTLS {
		c.guard = newGuard(record.Host, record.Port, func(rule string) { s.turnAway(c, rule) })
	}
	c.row = s.ledger.add(c.meter.Load(), record)
	if c.guard != nil {
		c.guard.limit.Reset(s.gateway.limits.Head)
	}
	s.keep(&c.link)
	return c
}

// turnAway closes a refused connection's outer side. The box has a moment to read why.
func (s *Session) turnAway(c *conn, rule string) {
	s.ledger.amend(c.row, func(r *app.Connection) { r.Verdict, r.Rule = rules.Verdict(rule), rule })
	_ = c.tcp.SetLinger(0)
	_ = c.tcp.Close()
	time.AfterFunc(lingerTime, func() { c.cut(rule) })
}

// keep registers an open connection in place of begin's. It cuts late and forbidden ones.
func (s *Session) keep(l *link) {
	// before anybody can cut it: an ended connection's timer would hold the session and its values
	l.idle.Reset(s.gateway.limits.Idle)
	s.mu.Lock()
	s.dialing--
	s.open[l] = struct{}{}
	lost := s.closed || !s.allowsLocked(l)
	s.mu.Unlock()
	if lost {
		l.cut(rules.Restricted)
	}
}

func (s *Session) forget(l *link) {
	s.mu.Lock()
	delete(s.open, l)
	s.mu.Unlock()
}

// connect waits its turn, resolves and dials addresses in order until one answers.
func (s *Session) connect(ctx context.Context, entry app.Host, name string, port int) (*net.TCPConn, target, error) {
	ctx, cancel := context.WithTimeout(ctx, s.gateway.limits.Dial)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	if err := s.wait(ctx); err != nil {
		return nil, target{}, err
	}
	targets, err := s.gateway.resolve(ctx, entry, name, port)
	if err != nil {
		return nil, target{}, err
	}
	return s.gateway.dialFirst(ctx, targets)
}

func (s *Session) wait(ctx context.Context) error {
	err := s.limiter.Wait(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return newDenial(rules.Rate, err)
}

func (s *Session) refuse(host string, port int, rule string, cause error) error {
	c := app.Connection{Host: host, Port: port, Verdict: rules.Verdict(rule), Rule: rule, StartedAt: time.Now(), Count: 1}
	s.ledger.noteRefusal(c)
	e := rules.Explain(c)
	e.Cause = cause
	return e
}

// ruleOf names the rule behind a failed connect.
func (s *Session) ruleOf(err error) (string, error) {
	var d *denial
	switch {
	case s.ctx.Err() != nil:
		return rules.Closed, err
	case errors.As(err, &d):
		return d.rule, d.cause
	case errors.Is(err, context.Canceled):
		return rules.Cancelled, err
	}
	return failureOf(err), err
}

// unsearchedRule returns the rule for a host whose answers can't be searched. err: why values are
// unreadable.
func (s *Session) unsearchedRule(err error) string {
	if rule, _ := s.ruleOf(err); rule == rules.Closed || rule == rules.Cancelled {
		return rule
	}
	return rules.Unknown
}
