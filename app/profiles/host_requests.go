package profiles

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Bounds of requests from denied connections. A script chooses them, and a person has to read them.
const (
	// MaxRequestsOfExecution bounds the requests of one execution.
	MaxRequestsOfExecution = 5
	// MaxUndecidedRequests bounds a profile's undecided requests over all executions.
	MaxUndecidedRequests = 20
)

// Request puts a denied host on the profile's page for a decision. It grants nothing and is never
// private. It reports whether the request is new. It ignores hosts that the page covers, that a
// person declined or that are unreachable, more than the bounds, and profiles not locked and
// usable. line is of the script, as the guest claims.
func (s *Hosts) Request(ctx context.Context, handle string, h app.Host, execution string, line int) (bool, error) {
	h.Private, h.Reason, h.Protocol = false, "", likelyProtocol(h.Ports)
	h, err := h.Canonical()
	if err != nil || h.CheckGrantable() != nil {
		return false, nil //nolint:nilerr // what can't be allowed is not asked for
	}
	added := false
	agent := app.Actor{Kind: app.ActorAgent, Name: handle}
	_, err = s.change(ctx, agent, handle, func(tx *store.Tx, p *store.Profile) (_, _ string, err error) {
		if p.State(s.now()) != app.StateLocked || !admits(p.Profile, h, execution) {
			return "", "", nil
		}
		added, err = tx.Profiles.RequestHost(ctx, p.Row, h, execution, max(line, 0), agent, s.now())
		if err != nil || !added {
			return "", "", err
		}
		return "profile.request_host", requestDetail(h, execution, line), nil
	})
	return added && err == nil, err
}

func requestDetail(h app.Host, execution string, line int) string {
	detail := fmt.Sprintf("The execution %s was refused %s", execution, h)
	if line > 0 {
		detail += fmt.Sprintf(" at line %d", line)
	}
	return detail + "; it stands as a request."
}

// likelyProtocol returns a port's usual protocol, to ask for no more. Without a protocol, any port
// but 80 and 443 is relayed unread.
func likelyProtocol(ports []int) app.Protocol {
	if len(ports) != 1 {
		return ""
	}
	switch port := ports[0]; port {
	case 80, 443:
		return ""
	case 8000, 8080:
		return app.ProtocolHTTP
	case 5432:
		return app.ProtocolPostgres
	default:
		if port%1000 == 443 {
			return app.ProtocolHTTPS
		}
	}
	return ""
}

// admits reports whether a request has room and is neither covered nor declined.
func admits(p app.Profile, h app.Host, execution string) bool {
	have := p.Hosts
	for _, port := range h.Ports {
		if _, declined := p.DeclinedHost(h.Name, port); declined {
			return false
		}
	}
	undecided, own := 0, 0
	for _, r := range have {
		if covers(r.Host, h) {
			return false
		}
		if r.Execution != "" && !r.Allowed {
			undecided++
		}
		if r.Execution == execution {
			own++
		}
	}
	return undecided < MaxUndecidedRequests && own < MaxRequestsOfExecution && len(have) < app.MaxHosts
}

// covers reports whether an entry includes all of h.
func covers(entry, h app.Host) bool {
	return !slices.ContainsFunc(h.Ports, func(port int) bool { return !entry.Matches(h.Name, port) })
}
