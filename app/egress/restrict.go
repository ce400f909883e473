package egress

import (
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
)

// Restrict takes away what g does not grant, and never adds anything. It refuses missing hosts and
// credentials from now on and cuts open connections to these hosts. It also cuts requests that
// carry a value with fewer rights, and relays to hosts that now have a sealed credential. A removed
// credential's placeholder is refused, but answers are still searched for its value.
func (s *Session) Restrict(g Grant) {
	s.mu.Lock()
	s.hosts = common(s.hosts, canonicalHosts(g.Hosts))
	before := s.sealed
	s.sealed = restrict(before, g.Sealed)
	reduced := reducedKeys(before, s.sealed)
	if len(reduced) > 0 { // or requests that were just judged would be refused for nothing
		s.outgoing = s.outgoing.Restrict(s.sealed)
	}
	var lost, unread []*link
	for l := range s.open {
		if l.unread {
			unread = append(unread, l)
		}
		carries := slices.ContainsFunc(l.using, func(key string) bool { return slices.Contains(reduced, key) })
		if carries || !s.allowsLocked(l) {
			lost = append(lost, l)
		}
	}
	s.mu.Unlock()
	for _, l := range lost {
		l.cut(rules.Restricted)
	}
	for _, l := range unread {
		s.cutKnown(l)
	}
}

// cutKnown cuts a relayed connection if its host's answers must be searched now, or if that is
// unknown. The next one is read.
func (s *Session) cutKnown(l *link) {
	if !l.unread {
		return
	}
	switch known, err := s.gateway.known(s.ctx, l.name, l.port); {
	case err != nil:
		l.cut(s.unsearchedRule(err))
	case known != nil:
		l.cut(rules.Restricted)
	}
}

// carry records the keys of values that swapper put into a request of l. It returns false if people
// have decided otherwise since: a slow body can delay a request for long after its judgement.
func (s *Session) carry(l *link, swapper *swap.Swapper, keys []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(keys) > 0 && swapper != s.outgoing {
		return false
	}
	l.using = keys
	return true
}

// endRequest notes that the request is over.
func (s *Session) endRequest(l *link) {
	s.mu.Lock()
	l.using = nil
	s.mu.Unlock()
}

func (s *Session) allowsLocked(l *link) bool {
	entry, rule := decide(s.hosts, l.name, l.port)
	if rule != "" {
		return false
	}
	to := l.target
	to.private = entry.Private
	return s.gateway.check(to) == nil
}

// common returns what both lists allow. The first list's protocol counts unless it skips all
// checks.
func common(a, b []app.Host) []app.Host {
	var both []app.Host
	for _, x := range a {
		for _, y := range b {
			h, ok := intersect(x, y)
			if ok && !slices.ContainsFunc(both, func(o app.Host) bool { return sameGrant(o, h) }) {
				both = append(both, h)
			}
		}
	}
	return both
}

func intersect(x, y app.Host) (app.Host, bool) {
	h, ok := x.Overlap(y)
	if h.Protocol = x.Protocol; x.Protocol.Raw() {
		h.Protocol = y.Protocol
	}
	return h, ok
}

func sameGrant(x, y app.Host) bool {
	return x.Name == y.Name && x.Protocol == y.Protocol && x.Private == y.Private && slices.Equal(x.Ports, y.Ports)
}

// restrict limits credentials to the hosts, places, headers and permissions that g also gives.
// Credentials that g lacks stay without hosts, so their placeholders are refused everywhere.
func restrict(have, g []secrets.Resolved) []secrets.Resolved {
	left := make([]secrets.Resolved, len(have))
	for i, c := range have {
		j := slices.IndexFunc(g, func(o secrets.Resolved) bool { return o.Key == c.Key && o.Placeholder == c.Placeholder })
		if j < 0 {
			c.Hosts = nil
			left[i] = c
			continue
		}
		c.Hosts = common(c.Hosts, canonicalHosts(g[j].Hosts))
		c.Places = slices.DeleteFunc(slices.Clone(c.Places), func(p app.Place) bool {
			return p != app.PlaceHeader && !slices.Contains(g[j].Places, p)
		})
		c.Headers = slices.DeleteFunc(slices.Clone(c.Headers),
			func(h string) bool { return !slices.Contains(g[j].Headers, h) })
		c.PlainHTTP = c.PlainHTTP && g[j].PlainHTTP
		left[i] = c
	}
	return left
}

// reducedKeys returns the keys that had more before. Both lists have the same order.
func reducedKeys(before, after []secrets.Resolved) []string {
	var keys []string
	for i, b := range before {
		a := after[i]
		lostHost := slices.ContainsFunc(b.Hosts, func(h app.Host) bool {
			return !slices.ContainsFunc(a.Hosts,
				func(o app.Host) bool { return o.Name == h.Name && slices.Equal(o.Ports, h.Ports) })
		})
		if lostHost || len(a.Places) < len(b.Places) || len(a.Headers) < len(b.Headers) || b.PlainHTTP && !a.PlainHTTP {
			keys = append(keys, b.Key)
		}
	}
	return keys
}
