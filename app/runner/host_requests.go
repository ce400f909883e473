package runner

import (
	"bytes"
	"context"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/profiles"
)

// maxPlacesTried bounds the places of one execution tried as requests, with or without success.
const maxPlacesTried = 50

// hostRequests turns denied hosts that a person could allow into requests on the profile's page.
//
// Each place is tried once per execution, whatever a person decides; after a failed write, again
// the next time. It outlives the execution's context, so that the last denials count.
type hostRequests struct {
	runner    *Runner
	x         app.Execution
	network   Network
	asked     *askedPlaces
	redaction *redaction

	mu    sync.Mutex
	tried map[place]bool
	made  int
}

// Before counts the script's lines, beyond which the guest's claims are ignored.
func (h *hostRequests) Before(_ context.Context, b *Binding) error {
	h.asked.setLast(1 + bytes.Count(b.source.Script, []byte{'\n'}))
	return nil
}

// After requests what was denied last.
func (h *hostRequests) After(*ending) { h.requestDenied() }

// requestDenied requests each denied host once.
func (h *hostRequests) requestDenied() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.network.Ledger() {
		if !requestable(c) || h.containsSecret(c.Host) {
			continue
		}
		for _, p := range h.placesOf(c) {
			if h.tried[p] || h.made >= profiles.MaxRequestsOfExecution || len(h.tried) >= maxPlacesTried {
				continue
			}
			if !h.requestLocked(p) {
				return
			}
		}
	}
}

// requestLocked requests the place and reports whether that was stored.
func (h *hostRequests) requestLocked(p place) bool {
	line := h.asked.lineOf(p)
	added, err := h.runner.cfg.Hosts.Request(context.Background(), h.x.ProfileHandle, p.entry(), h.x.Handle, line)
	if err != nil {
		if app.CodeOf(err) != app.CodeNotFound {
			h.runner.cfg.Log.Error("could not put a denied host on its profile's page", "execution", h.x.Handle,
				"error", err)
		}
		return false
	}
	if h.tried == nil {
		h.tried = map[place]bool{}
	}
	h.tried[p] = true
	if added {
		h.made++
	}
	return true
}

// containsSecret reports whether a host name holds a secret. A request would show it on the
// profile's page, to its agents and in the audit log.
func (h *hostRequests) containsSecret(host string) bool {
	_, hits := h.redaction.redactor().Text(host)
	return hits.Total() > 0
}

// requestable reports whether a host entry could allow the denied connection.
func requestable(c app.Connection) bool {
	byList := c.Rule == rules.NotListed || c.Rule == rules.Port
	return c.Verdict == app.VerdictDenied && byList && rules.Grantable(c.Host) && !rules.IsPackageIndex(c.Host)
}

// usualPort is the requested port of a name without a known port.
const usualPort = 443

// placesOf returns the places of a denied row. Denials by the box's resolver have no port: the
// guest's claims count, or else the usual port.
func (h *hostRequests) placesOf(c app.Connection) []place {
	ports := []int{c.Port}
	if c.Port == 0 {
		ports[0] = usualPort
		if known := h.asked.ports(c.Host); len(known) > 0 {
			ports = known
		}
	}
	list := make([]place, len(ports))
	for i, port := range ports {
		list[i] = place{c.Host, port}
	}
	return list
}
