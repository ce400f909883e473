package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Bounds of the requests that refused connections make. A script chooses what it connects to, and a person has to read it.
const (
	// MaxRequestsOfExecution is how many entries one execution can add to its profile's page.
	MaxRequestsOfExecution = 5
	// MaxUndecidedRequests is how many such entries of all executions may wait for a person on one profile.
	MaxUndecidedRequests = 20
)

// RequestHost puts a host that an execution was refused on the profile's page, for a person to allow or dismiss. It grants nothing and is never
// private. It reports whether the entry is new: not if it is there already or covered, if too many wait, if nothing can ever be reached under
// the name, or if the profile is not locked and usable any more. line is of the script, as the guest claims.
func (s *Service) RequestHost(ctx context.Context, handle string, h app.Host, execution string, line int) (bool, error) {
	h.Private, h.Reason = false, ""
	list, err := reachableHosts([]app.Host{h})
	if err != nil {
		return false, nil //nolint:nilerr // what can't be allowed is not asked for
	}
	h = list[0]
	added := false
	_, err = s.change(ctx, app.Actor{Kind: app.ActorAgent, Name: handle}, handle, func(tx *store.Tx, p *store.Profile) (_, _ string, err error) {
		if p.State(s.now()) != app.StateLocked || !admits(p.Hosts, h, execution) {
			return "", "", nil
		}
		added, err = tx.RequestHost(ctx, p.Row, h, execution, max(line, 0), app.Actor{Kind: app.ActorAgent, Name: handle}, s.now())
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

// admits reports whether one more request has room and is not on the page already.
func admits(have []app.HostRequest, h app.Host, execution string) bool {
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
