package profiles

import (
	"cmp"
	"context"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// ask records and returns the hosts that are not yet allowed, declined or requested.
func (s *Hosts) ask(
	ctx context.Context, tx *store.Tx, by app.Actor, p *store.Profile, list []app.Host,
) (asked []app.Host, err error) {
	for _, h := range list {
		m, ok := mergeRequest(p.Profile, h)
		if !ok {
			continue
		}
		if err := p.CheckReference(h); err != nil {
			return nil, err
		}
		if m.into != "" {
			err = tx.Profiles.MergeRequest(ctx, p.Row, m.into, m.host, m.absorbed, m.wider)
		} else if len(p.Hosts) >= app.MaxHosts {
			err = app.TooManyHosts()
		} else {
			err = tx.Profiles.ProposeHosts(ctx, p.Row, []app.Host{m.host}, by, s.now())
		}
		if err != nil {
			return nil, err
		}
		if *p, err = tx.Profiles.ByHandle(ctx, p.Handle); err != nil { // the next may be the same host
			return nil, err
		}
		asked = append(asked, m.host)
	}
	return asked, nil
}

// merger is the effect of a new request on the existing ones.
type merger struct {
	host     app.Host
	into     string   // the entry that becomes host; "" for an entry of its own
	absorbed []string // entries that host covers too
	wider    bool     // host has ports that nothing was refused at, besides those of the web
}

// mergeRequest merges a request with those for the same host and port. A person decides once about
// each. It reports false if nothing changes.
func mergeRequest(p app.Profile, h app.Host) (merger, bool) {
	m := merger{host: h}
	changed := true
	for _, r := range p.Hosts {
		switch {
		case r.Allowed && (r.String() == h.String() || grants(r.Host, h)):
			return m, false
		case r.Allowed || !sharesPort(r.Host, h):
			continue
		}
		joined, ok := join(r.Host, m.host)
		if !ok {
			continue
		}
		changed = m.into != "" || !app.SameHost(joined, r.Host)
		m.host, m.wider = joined, m.wider || addsPort(r.Host, joined)
		m.take(r.String())
	}
	for _, d := range p.Declined {
		if !sharesPort(d.Host, h) {
			continue
		}
		if h.Reason == "" || h.Reason == d.Reason {
			return m, false
		}
		m.take(d.String())
		changed = true
	}
	taken := func(r app.HostRequest) bool { return r.Allowed && r.String() == m.host.String() }
	return m, changed && !slices.ContainsFunc(p.Hosts, taken)
}

// take makes an entry part of the merged one.
func (m *merger) take(entry string) {
	if m.into == "" {
		m.into = entry
		return
	}
	m.absorbed = append(m.absorbed, entry)
}

// join merges two requests' ports; the later one's words win. It reports false if an agent could
// not ask for the result.
func join(have, h app.Host) (app.Host, bool) {
	h.Ports = slices.Concat(have.Ports, h.Ports)
	h.Protocol, h.Reason = cmp.Or(h.Protocol, have.Protocol), cmp.Or(h.Reason, have.Reason)
	joined, err := h.Canonical()
	return joined, err == nil && joined.CheckAskable() == nil
}

func sharesPort(a, b app.Host) bool {
	return a.Name == b.Name && slices.ContainsFunc(a.Ports, func(port int) bool { return slices.Contains(b.Ports, port) })
}

// addsPort reports whether h has ports, other than 80 and 443, that have lacks.
func addsPort(have, h app.Host) bool {
	return slices.ContainsFunc(h.Ports, func(port int) bool {
		return port != 80 && port != 443 && !slices.Contains(have.Ports, port)
	})
}

// Withdraw removes an agent's own undecided requests for a host. entry is a host for app.ParseHost;
// without a port it means all requests for the name. CodeNotFound if there is none, CodeConflict if
// a person has decided.
func (s *Hosts) Withdraw(ctx context.Context, by app.Actor, handle, entry string) (app.Profile, error) {
	h, err := app.ParseHost(entry)
	if err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanUse(s.now()); err != nil {
			return "", "", err
		}
		var entries []string
		allowed := false
		for _, r := range p.Hosts {
			switch {
			case r.String() != h.String() && (r.Name != h.Name || entry != h.Name):
			case r.Allowed:
				allowed = true
			default:
				entries = append(entries, r.String())
			}
		}
		if len(entries) > 0 {
			return "profile.withdraw_host", "Withdrew the request for " + h.String() + ".",
				tx.Profiles.RemoveRequests(ctx, p.Row, entries)
		}
		if _, declined := p.DeclinedHost(h.Name, h.Ports[0]); allowed || declined {
			return "", "", app.E(app.CodeConflict, "a person has already decided about "+h.String(),
				"GET /profiles/{id} shows the decision. Only the person can take it back.")
		}
		return "", "", app.E(app.CodeNotFound, "the profile has no open request for "+h.String(),
			"GET /profiles/{id} lists its hosts; write the host as it stands there, with its port.")
	})
}
