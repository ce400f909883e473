package engine

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/egress"
)

// place is a host and port that a script asked for.
type place struct {
	host string // canonical
	port int    // 0 if it is not known
}

// claims are the lines of the script that asked for places, as the guest says. The first counts.
type claims struct {
	mu    sync.Mutex
	lines map[place]int
}

// note keeps a claim.
func (c *claims) note(p place, line int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines == nil {
		c.lines = map[place]int{}
	}
	if _, known := c.lines[p]; !known {
		c.lines[p] = line
	}
}

// line returns the line that asked for the place, or 0.
func (c *claims) line(p place) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line := c.lines[p]; line > 0 {
		return line
	}
	first := 0
	for at, line := range c.lines { // a resolver doesn't hear of ports, and not every client tells one
		if at.host == p.host && (p.port == 0 || at.port == 0) && line > 0 && (first == 0 || line < first) {
			first = line
		}
	}
	return first
}

// ports returns the ports at which the host was asked for, sorted.
func (c *claims) ports(host string) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []int
	for at := range c.lines {
		if at.host == host && at.port > 0 {
			list = append(list, at.port)
		}
	}
	slices.Sort(list)
	return list
}

// askedFor takes the guest's word for which line of the script asked for a place. Nothing is granted by it. Where the box itself refuses
// without a word to Airlock (a port that no entry has, an address without a name), the refusal is recorded here.
func (r *run) askedFor(host string, port, line int) {
	name, err := app.CanonicalName(host)
	if err != nil || (app.Host{Name: name}).CheckReachable() != nil && !isLinkLocal(name) {
		return
	}
	if line > r.lines {
		line = 0
	}
	r.claims.note(place{name, port}, line)
	if port > 0 && r.refusedInside(name, port) {
		_, _ = r.egress.Dial(r.ctx, name, port) // which refuses: it decides by a part of what was just looked at
	}
}

// isLinkLocal tells addresses such as cloud metadata from those that mean the box itself.
func isLinkLocal(name string) bool {
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLinkLocalUnicast()
}

// refusedInside reports whether nothing in the box listens for the place, although its resolver answers or isn't asked.
func (r *run) refusedInside(name string, port int) bool {
	_, err := netip.ParseAddr(name)
	known := err == nil
	for _, h := range r.grant.hosts {
		if slices.Contains(h.Ports, port) && err != nil || h.Matches(name, port) {
			return false
		}
		known = known || h.Matches(name, h.Ports[0])
	}
	return known
}

// located attaches the script's lines to ledger rows.
func (r *run) located(rows []app.Connection) []app.Connection {
	for i, c := range rows {
		rows[i].Line = r.claims.line(place{c.Host, c.Port})
	}
	return rows
}

// petition makes requests of what was refused and a person could allow: each place once per execution, whatever a person makes of it. The end of the
// execution doesn't end it: what was refused last counts too. What could not be stored is tried again the next time.
func (r *run) petition() {
	ctx := context.WithoutCancel(r.ctx)
	r.petitioning.Lock()
	defer r.petitioning.Unlock()
	for _, c := range r.egress.Ledger() {
		if !askable(c) || r.secretive(c.Host) {
			continue
		}
		for _, at := range r.wanted(c) {
			if r.requested[at] || r.requests >= access.MaxRequestsOfExecution || len(r.requested) >= maxPetitions {
				continue
			}
			added, err := r.e.cfg.Access.RequestHost(ctx, r.x.ProfileHandle, at.entry(), r.x.Handle, r.claims.line(at))
			if err != nil {
				if app.CodeOf(err) != app.CodeNotFound {
					r.e.cfg.Log.Error("a refused host could not be put on its profile's page", "execution", r.x.Handle, "error", err)
				}
				return
			}
			r.requested[at] = true
			if added {
				r.requests++
			}
		}
	}
}

// secretive reports whether a host name holds a secret. Such a name is no request: it would carry the secret to the profile's page, to the
// agent that reads the profile, and into the audit log.
func (r *run) secretive(host string) bool {
	_, hits := r.redactor().Text(host)
	return hits.Total() > 0
}

// maxPetitions bounds how many places of one execution are tried as requests, also those that make none.
const maxPetitions = 50

// askable reports whether an entry of the profile could turn the refusal into a connection.
func askable(c app.Connection) bool {
	return c.Verdict == app.VerdictDenied && (c.Rule == egress.RuleNotListed || c.Rule == egress.RulePort) && egress.Grantable(c.Host)
}

// wanted returns the places that a refused row stands for. Refusals by the box's resolver have no port: then the guest's word for it
// counts, and without one the usual ports.
func (r *run) wanted(c app.Connection) []place {
	ports := []int{c.Port}
	if c.Port == 0 {
		if known := r.claims.ports(c.Host); len(known) > 0 {
			ports = known
		}
	}
	list := make([]place, len(ports))
	for i, port := range ports {
		list[i] = place{c.Host, port}
	}
	return list
}

// entry is the place as a host list has it; without a port it gets the usual ones.
func (p place) entry() app.Host {
	h := app.Host{Name: p.host}
	if p.port > 0 {
		h.Ports = []int{p.port}
	}
	return h
}
