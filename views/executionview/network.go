package executionview

import (
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
)

// target names the destination of a connection. A name refused before its port was known has none.
func target(c app.Connection) string {
	if c.Port == 0 {
		return c.Host
	}
	return c.Host + ":" + strconv.Itoa(c.Port)
}

// sealedKeysUsed lists the keys whose sealed values were put into requests, each once.
func sealedKeysUsed(network []app.Connection) []string {
	var keys []string
	for _, c := range network {
		keys = append(keys, c.Credentials...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// laterDecision is what a person has decided about a refused host since.
type laterDecision int

const (
	noDecision       laterDecision = iota
	waitsForDecision               // on the profile's page
	allowedSince                   // for later executions
)

// decisionSince looks up a connection that the host list refused among the profile's hosts of
// today.
func decisionSince(p ExecutionPage, c app.Connection) laterDecision {
	switch h, found := p.HostSince(c); {
	case !found:
		return noDecision
	case h.Allowed:
		return allowedSince
	}
	return waitsForDecision
}

// HostSince returns the profile's entry for a connection that its list refused: one that is
// allowed by now, else one that waits for a decision.
func (p ExecutionPage) HostSince(c app.Connection) (entry app.HostRequest, found bool) {
	if c.Verdict != app.VerdictDenied || !slices.Contains(p.ListRules, c.Rule) {
		return entry, false
	}
	for _, h := range p.Hosts {
		if covers(h.Host, c) && (!found || h.Allowed && !entry.Allowed) {
			entry, found = h, true
		}
	}
	return entry, found
}

// covers reports whether an entry covers the destination of a connection. A name refused when it
// was looked up has no port: one matching port is enough.
func covers(h app.Host, c app.Connection) bool {
	if c.Port == 0 {
		return slices.ContainsFunc(h.Ports, func(port int) bool { return h.Matches(c.Host, port) })
	}
	return h.Matches(c.Host, c.Port)
}

// failedStatus reports whether an HTTP status is a failure.
func failedStatus(status int) bool { return status >= 400 }
