package profiles

import (
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
)

// MergeHosts applies additions and removals to a profile's hosts, for Hosts.SetAsSeen.
//
// The other allowed hosts stay. An addition takes a request's reason and protocol, but no protocol
// that agents can't ask for: the person typed a host, not a relay.
func MergeHosts(p app.Profile, more, less []app.Host) (allowed []app.Host, dismissed []string, err error) {
	find := func(list []app.Host, h app.Host) int {
		return slices.IndexFunc(list, func(l app.Host) bool { return l.String() == h.String() })
	}
	have := make([]app.Host, len(p.Hosts))
	for i, h := range p.Hosts {
		have[i] = h.Host
	}
	for _, h := range less {
		if find(have, h) < 0 {
			return nil, nil, app.E(app.CodeNotFound, fmt.Sprintf("the profile has no host %s", h),
				"Write it as airlock admin profile show ID does.")
		}
		if find(more, h) >= 0 {
			return nil, nil, app.Invalid("hosts", fmt.Sprintf("%s is to be allowed and removed", h), "Choose one of both.")
		}
	}
	for _, h := range p.Hosts {
		switch {
		case find(less, h.Host) >= 0:
			dismissed = append(dismissed, h.String())
		case h.Allowed && find(more, h.Host) < 0:
			allowed = append(allowed, h.Host)
		}
	}
	for _, d := range p.Declined {
		have = append(have, d.Host)
	}
	for _, h := range more {
		if i := find(have, h); i >= 0 {
			if h.Reason = have[i].Reason; !have[i].RelaysWeb() {
				h.Protocol = have[i].Protocol
			}
		}
		allowed = append(allowed, h)
	}
	return allowed, dismissed, app.CheckAdded(allowed, app.AllowedHosts(p.Hosts))
}
