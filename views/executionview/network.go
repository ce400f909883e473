package executionview

import (
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// target names a connection's destination. Names refused before their port was known have none.
func target(c app.Connection) string {
	if c.Port == 0 {
		return c.Host
	}
	return c.Host + ":" + strconv.Itoa(c.Port)
}

// sealedKeysUsed lists each key whose sealed value was sent.
func sealedKeysUsed(network []app.Connection) []string {
	var keys []string
	for _, c := range network {
		keys = append(keys, c.Credentials...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// HostSince returns the profile's entry for a refused connection. Allowed entries precede open
// ones.
func (p ExecutionPage) HostSince(c app.Connection) (entry app.HostRequest, found bool) {
	if c.Verdict != app.VerdictDenied || c.Rule != rules.NotListed && c.Rule != rules.Port {
		return entry, false
	}
	for _, h := range p.Hosts {
		if covers(h.Host, c) && (!found || h.Allowed && !entry.Allowed) {
			entry, found = h, true
		}
	}
	return entry, found
}

// covers reports whether an entry covers a connection. A name refused at lookup has no port: one
// matching port suffices.
func covers(h app.Host, c app.Connection) bool {
	if c.Port == 0 {
		return slices.ContainsFunc(h.Ports, func(port int) bool { return h.Matches(c.Host, port) })
	}
	return h.Matches(c.Host, c.Port)
}
