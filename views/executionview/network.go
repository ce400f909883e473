package executionview

import (
	"slices"
	"strconv"

	"github.com/computclaw/airlock/app"
)

// target is where a connection was to go. Names that were refused before a port was known stand alone.
func target(c app.Connection) string {
	if c.Port == 0 {
		return c.Host
	}
	return c.Host + ":" + strconv.Itoa(c.Port)
}

// swapped are the keys whose sealed values were put into requests, each once.
func swapped(network []app.Connection) []string {
	var keys []string
	for _, c := range network {
		keys = append(keys, c.Credentials...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// since is what became of a refused host on the profile's page.
type since int

const (
	sinceNothing since = iota
	sinceAsked         // it waits there for a person
	sinceAllowed       // a person allowed it for later executions
)

// sinceRefused finds a connection that was refused because of the host list among the profile's hosts of today.
func sinceRefused(p ExecutionPage, c app.Connection) since {
	found := sinceNothing
	if c.Verdict != app.VerdictDenied || !slices.Contains(p.ListRules, c.Rule) {
		return found
	}
	for _, h := range p.Hosts {
		if !covers(h.Host, c) {
			continue
		}
		if h.Allowed {
			return sinceAllowed
		}
		found = sinceAsked
	}
	return found
}

// covers reports whether an entry covers where a connection was to go. A name that was refused when it was looked up has no port yet.
func covers(h app.Host, c app.Connection) bool {
	if c.Port == 0 {
		return slices.ContainsFunc(h.Ports, func(port int) bool { return h.Matches(c.Host, port) })
	}
	return h.Matches(c.Host, c.Port)
}

// bad reports whether an answer's status is a failure.
func bad(status int) bool { return status >= 400 }
