package runner

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins/wire"
)

// Network is an execution's one way out. Before opens it and After closes it. Forms other than
// liveNetwork may wrap one, or reach no host at all.
type Network interface {
	Hook

	// Dial connects the box to the outside. Port 0 reports a name unknown to the box's resolver.
	Dial(ctx context.Context, host string, port int) (guest.Conn, error)

	// Unanswered records a question that the box's resolver can't answer.
	Unanswered(host, record string)

	// Limited records what a limit of the box stopped.
	Limited(host string, port int, limit wire.Limit)

	// Asked keeps the guest's claim that a line asked for a place.
	Asked(ctx context.Context, host string, port, line int)

	// Restrict removes what is no longer granted. It may precede Before.
	Restrict() error

	// Ledger returns the rows so far, not redacted, with the lines that first asked.
	Ledger() []app.Connection
}

// liveNetwork reaches hosts by the gateway.
type liveNetwork struct {
	runner    *Runner
	x         app.Execution
	redaction *redaction
	changed   func() // called for new ledger rows
	asked     *askedPlaces
	uncut     func() bool // undoes that the end of the execution's context closes the session

	mu      sync.Mutex
	grant   grant
	session *egress.Session // nil before Before
	refused map[place]bool  // by the box itself, and recorded
}

// Before opens the session.
func (h *liveNetwork) Before(ctx context.Context, b *Binding) error {
	session := h.runner.cfg.Gateway.Session(b.grant.forEgress(), h.noteConnected)
	h.uncut = context.AfterFunc(ctx, session.Close) // at once, whatever else takes time then
	h.mu.Lock()
	h.session, h.grant = session, b.grant
	h.mu.Unlock()
	if h.runner.decisions.Load() == b.decisions {
		return nil
	}
	return h.Restrict() // a decision fell after the grant was read and before it could be obeyed
}

// After closes the session.
func (h *liveNetwork) After(*ending) {
	h.uncut()
	h.session.Close()
}

func (h *liveNetwork) noteConnected() {
	h.redaction.noteReached()
	h.changed()
}

func (h *liveNetwork) current() (*egress.Session, grant) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session, h.grant
}

// Restrict removes from the session what the profile and its credentials no longer grant. It never
// adds: additions are for later executions.
func (h *liveNetwork) Restrict() error {
	session, g := h.current()
	if session == nil {
		return nil // Before will see to it
	}
	hosts, sealed, err := h.runner.cfg.Policies.Restrict(h.runner.ctx, h.x.ProfileHandle,
		g.inMode(app.ModePlain), g.inMode(app.ModeSealed))
	if err != nil {
		return fmt.Errorf("runner: restrict: %w", err)
	}
	session.Restrict(egress.Grant{Hosts: hosts, Sealed: sealed})
	return nil
}

// Dial implements Network.
func (h *liveNetwork) Dial(ctx context.Context, host string, port int) (guest.Conn, error) {
	session, g := h.current()
	if port == 0 {
		session.RecordRefused(host)
		return nil, errUnknownName
	}
	if isRefusedInBox(g.hosts, host, port) {
		return nil, h.refuseOnce(ctx, session, place{host, port})
	}
	conn, err := session.Dial(ctx, host, port)
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// Unanswered implements Network.
func (h *liveNetwork) Unanswered(host, record string) {
	session, _ := h.current()
	session.RecordUnanswered(host, record)
}

// Limited implements Network.
func (h *liveNetwork) Limited(host string, port int, limit wire.Limit) {
	session, _ := h.current()
	session.RecordLimited(host, port, map[wire.Limit]string{
		wire.LimitOpen: rules.Connections, wire.LimitTotal: rules.Total,
		wire.LimitRefusals: rules.Refusals,
	}[limit])
}

// errUnknownName ends a connection that was announced for its record only.
var errUnknownName = errors.New("no such name for this profile")

// Asked implements Network.
//
// It records the refusal if the box refuses without asking Airlock: a port without an entry, an
// address without a name.
func (h *liveNetwork) Asked(ctx context.Context, host string, port, line int) {
	name, err := app.CanonicalName(host)
	if err != nil || (app.Host{Name: name}).CheckReachable() != nil && !isLinkLocal(name) {
		return
	}
	p := place{name, port}
	h.asked.note(p, line)
	switch session, g := h.current(); {
	case port == 0:
	case isRefusedInBox(g.hosts, name, port):
		_ = h.refuseOnce(ctx, session, p)
	case isAddress(name) && h.firstRefusal(p): // a plain key's value names it, so the list allows it in vain
		session.RecordLimited(name, port, rules.NotListed)
	}
}

// refuseOnce records a connection that the box refuses by itself. Each place counts once, since
// interpreter and first process may both report it.
func (h *liveNetwork) refuseOnce(ctx context.Context, session *egress.Session, p place) error {
	if !h.firstRefusal(p) {
		return errUnknownName
	}
	conn, err := session.Dial(ctx, p.host, p.port) // which refuses: it goes by the same hosts, or fewer
	if err == nil {
		_ = conn.Close()
		return errUnknownName
	}
	return err
}

func (h *liveNetwork) firstRefusal(p place) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused[p] {
		return false
	}
	if h.refused == nil {
		h.refused = map[place]bool{}
	}
	h.refused[p] = true
	return true
}

func isAddress(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}

// isLinkLocal separates addresses such as cloud metadata from the box's own.
func isLinkLocal(name string) bool {
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLinkLocalUnicast()
}

// isRefusedInBox reports whether nothing in the box listens for the place, although its name
// resolves or needs no resolver.
func isRefusedInBox(hosts []app.Host, name string, port int) bool {
	address := isAddress(name)
	known := address
	for _, h := range hosts {
		if slices.Contains(h.Ports, port) && !address || h.Matches(name, port) {
			return false
		}
		known = known || h.Matches(name, h.Ports[0])
	}
	return known
}

// Ledger implements Network.
func (h *liveNetwork) Ledger() []app.Connection {
	session, _ := h.current()
	if session == nil {
		return nil
	}
	rows := session.Ledger()
	for i, c := range rows {
		rows[i].Line = h.asked.lineOf(place{c.Host, c.Port})
	}
	return rows
}

// ledger returns the redacted rows so far.
func (s *session) ledger() []app.Connection {
	rows := s.network.Ledger()
	if len(rows) == 0 {
		return rows
	}
	texts := s.redaction.redactor().Texts(ledgerTexts(rows))
	for i := range rows {
		t := texts[i*textsPerRow:]
		rows[i].Host, rows[i].Rule, rows[i].Method, rows[i].Path = t[0].String(), t[1].String(), t[2].String(),
			t[3].String()
	}
	return rows
}

// place is a host and port that a script asked for.
type place struct {
	host string // canonical
	port int    // 0 if it is not known
}

// entry returns the place as a host list entry. Without a port it gets the usual ones.
func (p place) entry() app.Host {
	h := app.Host{Name: p.host}
	if p.port > 0 {
		h.Ports = []int{p.port}
	}
	return h
}

// askedPlaces holds the places that a script asked for, with their first known lines.
//
// They are the guest's word and grant nothing. Safe for concurrent use.
type askedPlaces struct {
	mu    sync.Mutex
	last  int // line of the script
	lines map[place]int
}

// setLast sets the number of the script's last line.
func (a *askedPlaces) setLast(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = n
}

// note keeps a place. A line beyond the script's last counts as unknown.
func (a *askedPlaces) note(p place, line int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if line > a.last {
		line = 0
	}
	if a.lines == nil {
		a.lines = map[place]int{}
	}
	if a.lines[p] == 0 {
		a.lines[p] = line
	}
}

// lineOf returns the line that first asked for the place; 0 if unknown.
//
// Resolvers and some clients don't know ports: then the host's first line counts.
func (a *askedPlaces) lineOf(p place) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if line := a.lines[p]; line > 0 {
		return line
	}
	first := 0
	for at, line := range a.lines {
		if at.host == p.host && (p.port == 0 || at.port == 0) && line > 0 && (first == 0 || line < first) {
			first = line
		}
	}
	return first
}

// ports returns the ports at which the host was asked for, sorted.
func (a *askedPlaces) ports(host string) []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []int
	for at := range a.lines {
		if at.host == host && at.port > 0 {
			list = append(list, at.port)
		}
	}
	slices.Sort(list)
	return list
}
