package egress

import (
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// guard holds back a box's first bytes until they are a TLS hello for the allowed host. It holds
// the host's bytes back too, so protocols in which the server speaks first fail.
type guard struct {
	name   string
	port   int
	refuse func(rule string) // records a refusal and ends the outer connection; called at most once
	limit  *time.Timer
	once   sync.Once
	done   chan struct{} // closed when it is decided

	// Of the writer, and of others once done is closed.
	held   []byte
	need   int  // bytes of held with which it is worth looking again
	passed bool // the reader may read from the host

	mu   sync.Mutex
	last []byte // what the box gets to read after a refusal
}

// earlyBytes are examined as they come: most traffic other than TLS shows in them.
const earlyBytes = 16

type guardVerdict int

const (
	guardWaits guardVerdict = iota
	guardPasses
	guardRefuses
)

func newGuard(name string, port int, refuse func(rule string)) *guard {
	g := &guard{name: name, port: port, refuse: refuse, done: make(chan struct{})}
	g.limit = time.AfterFunc(farAway, func() { g.deny(rules.NotTLS, nil) })
	return g
}

// look takes more first bytes. With guardPasses it returns all that were held back.
func (g *guard) look(p []byte) ([]byte, guardVerdict) {
	select {
	case <-g.done:
		return nil, guardRefuses
	default:
	}
	g.held = append(g.held, p...)
	// avoid re-reading thousands of times for a box that sends byte by byte
	if len(g.held) < g.need && len(g.held) > earlyBytes {
		return nil, guardWaits
	}
	h, need, err := readClientHello(g.held)
	if errors.Is(err, errIncomplete) {
		g.need = need
		return nil, guardWaits
	}
	if rule := g.judge(h, err); rule != "" {
		g.deny(rule, g.held)
		return nil, guardRefuses
	}
	verdict := guardRefuses // unless the time is over
	g.once.Do(func() {
		g.limit.Stop()
		g.passed, verdict = true, guardPasses
		close(g.done)
	})
	held := g.held
	g.held = nil
	return held, verdict
}

func (g *guard) judge(h clientHello, err error) string {
	switch {
	case errors.Is(err, errNotTLS):
		return rules.NotTLS
	case err != nil:
		return rules.Handshake
	case h.encrypted:
		return rules.ECH
	}
	return serverNameRule(h.serverName, g.name)
}

// serverNameRule returns the rule that a server name breaks, or "". Only an address may go without.
func serverNameRule(serverName, name string) string {
	if serverName == "" {
		if isIP(name) {
			return ""
		}
		return rules.NoServerName
	}
	if canonical, err := app.CanonicalName(serverName); err != nil || canonical != name {
		return rules.ServerName
	}
	return ""
}

// deny refuses, and answers in the box's protocol if it is known.
func (g *guard) deny(rule string, seen []byte) {
	g.once.Do(func() {
		g.limit.Stop()
		g.last = g.partingAnswer(rule, seen)
		g.refuse(rule)
		close(g.done)
	})
}

func (g *guard) endInput() {
	if len(g.held) > 0 {
		g.deny(rules.NotTLS, g.held)
	}
	g.close()
}

func (g *guard) close() {
	g.once.Do(func() {
		g.limit.Stop()
		close(g.done)
	})
}

// wait returns once the first bytes are decided, and whether the host may be read.
func (g *guard) wait() bool {
	<-g.done
	return g.passed
}

// read gives the box the answer to a refusal, then the end.
func (g *guard) read(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.last) == 0 {
		return 0, io.EOF
	}
	n := copy(p, g.last)
	g.last = g.last[n:]
	return n, nil
}

// accessDenied is a TLS record with the fatal alert of that name.
var accessDenied = []byte{21, 3, 3, 0, 2, 2, 49}

// partingAnswer returns the answer to refused bytes: a TLS alert, an HTTP response or nothing.
func (g *guard) partingAnswer(rule string, seen []byte) []byte {
	switch {
	case len(seen) == 0:
		return nil
	case seen[0] == handshakeRecord:
		return append([]byte(nil), accessDenied...)
	case looksLikeHTTP(seen):
		return plainAnswer(app.Connection{Host: g.name, Port: g.port, Verdict: app.VerdictDenied, Rule: rule})
	}
	return nil
}

// methods identify HTTP where another protocol is due.
var methods = []string{"GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "CONNECT ", "TRACE ", "PRI "}

// looksLikeHTTP needs at least three bytes.
func looksLikeHTTP(seen []byte) bool {
	return len(seen) >= 3 && slices.ContainsFunc(methods, func(m string) bool {
		n := min(len(m), len(seen))
		return m[:n] == string(seen[:n])
	})
}
