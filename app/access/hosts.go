package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// ProposeHosts records hosts an agent asks for. They grant nothing. Private is ignored. Works before and after the lock.
// What is on the profile already, proposed or allowed, stays as it is.
func (s *Service) ProposeHosts(ctx context.Context, by app.Actor, handle string, hosts []app.Host) (app.Profile, error) {
	list, err := reachableHosts(hosts)
	if err != nil {
		return app.Profile{}, err
	}
	if len(list) == 0 {
		return app.Profile{}, app.Invalid("hosts", "no hosts were given", `Send at least one, such as {"hosts":[{"host":"api.example.com","reason":"why you need it"}]}.`)
	}
	if err := checkAskable(by, "hosts", hosts); err != nil {
		return app.Profile{}, err
	}
	list = proposed(list)
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanUse(s.now()); err != nil {
			return "", "", err
		}
		fresh := slices.DeleteFunc(slices.Clone(list), func(h app.Host) bool {
			return slices.ContainsFunc(p.Hosts, func(have app.HostRequest) bool {
				return have.String() == h.String() || have.Allowed && grants(have.Host, h)
			})
		})
		for _, h := range fresh {
			if err := p.CheckReference(h); err != nil {
				return "", "", err
			}
		}
		if len(fresh) == 0 {
			return "", "", nil
		}
		if len(p.Hosts)+len(fresh) > app.MaxHosts {
			return "", "", tooManyHosts()
		}
		return "profile.propose_hosts", "Asked for " + app.BriefHosts(fresh) + ".", tx.ProposeHosts(ctx, p.Row, fresh, by, s.now())
	})
}

// SetHosts makes exactly these hosts the allowed ones; proposals that aren't among them stay as undecided proposals unless they
// are in dismissed (in the form of Host.String) or all that they ask for is allowed. Before the lock freely, after it as a new policy version for later executions. People only.
func (s *Service) SetHosts(ctx context.Context, by app.Actor, handle string, allowed []app.Host, dismissed []string) (app.Profile, error) {
	return s.SetHostsAsSeen(ctx, by, handle, time.Time{}, allowed, dismissed)
}

// SetHostsAsSeen is SetHosts by a person who looked at the profile when its UpdatedAt was seen. If it changed since, that is CodeConflict: what somebody else
// took away in the meantime would come back unnoticed. A zero seen skips that check.
func (s *Service) SetHostsAsSeen(ctx context.Context, by app.Actor, handle string, seen time.Time, allowed []app.Host, dismissed []string) (app.Profile, error) {
	if err := peopleOnly(by); err != nil {
		return app.Profile{}, err
	}
	list, err := reachableHosts(allowed)
	if err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if p.Revoked {
			return "", "", p.CanUse(s.now())
		}
		if !seen.IsZero() && !seen.Equal(p.UpdatedAt) {
			return "", "", app.E(app.CodeConflict, "the profile was changed after you looked at it", "Look at what it would grant now.")
		}
		keepReasons(list, p.Hosts)
		dismissed := slices.Concat(dismissed, granted(p.Hosts, list))
		if sameHosts(allowedOf(p.Hosts), list) && !slices.ContainsFunc(p.Hosts, func(h app.HostRequest) bool { return slices.Contains(dismissed, h.String()) }) {
			return "", "", nil
		}
		if p.Locked {
			if err := s.newHosts(ctx, tx, by, p, list); err != nil {
				return "", "", err
			}
		}
		return "profile.hosts", hostsDetail(list), tx.DecideHosts(ctx, p.Row, list, dismissed, by, s.now())
	})
}

// granted are the requests that need no decision any more, since a wider entry allows all of what they ask for.
func granted(requests []app.HostRequest, allowed []app.Host) (entries []string) {
	for _, r := range requests {
		if slices.ContainsFunc(allowed, func(h app.Host) bool { return h.String() == r.String() }) {
			continue
		}
		if slices.ContainsFunc(allowed, func(h app.Host) bool { return grants(h, r.Host) }) {
			entries = append(entries, r.String())
		}
	}
	return entries
}

// grants reports whether an allowed entry gives all that is asked for, in the way that is asked for.
func grants(allowed, asked app.Host) bool {
	return covers(allowed, asked) && allowed.Protocol == asked.Protocol && allowed.KeyReference() == asked.KeyReference()
}

// keepReasons gives what is allowed without a reason the one that it was asked for with.
func keepReasons(list []app.Host, asked []app.HostRequest) {
	for i := range list {
		for _, h := range asked {
			if list[i].Reason == "" && h.String() == list[i].String() {
				list[i].Reason = h.Reason
			}
		}
	}
}

func hostsDetail(list []app.Host) string {
	if len(list) == 0 {
		return "Allowed no hosts."
	}
	return "Allowed " + app.BriefHosts(list) + " and nothing else."
}

// reachableHosts is canonicalHosts for what scripts, or the values they send, shall reach: entries that grant nothing are refused, since a page would promise access.
func reachableHosts(hosts []app.Host) ([]app.Host, error) {
	list, err := canonicalHosts(hosts)
	for _, h := range list {
		if err := h.CheckReachable(); err != nil {
			return nil, err
		}
	}
	return list, err
}

// canonicalHosts returns the list in canonical form, each entry once.
func canonicalHosts(hosts []app.Host) ([]app.Host, error) {
	if len(hosts) > app.MaxHosts {
		return nil, tooManyHosts()
	}
	list := make([]app.Host, 0, len(hosts))
	for _, h := range hosts {
		c, err := h.Canonical()
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(list, func(have app.Host) bool { return have.String() == c.String() })
		switch {
		case i < 0:
			list = append(list, c)
		case !sameHost(list[i], c):
			return nil, app.Invalid("hosts", fmt.Sprintf("the host %s is named twice, with different settings", c), "Name each host once.")
		}
	}
	return list, nil
}

// checkAskable refuses hosts that only a person may choose. Its errors name the field below path, where the list as it was sent is.
func checkAskable(by app.Actor, path string, hosts []app.Host) error {
	if peopleOnly(by) == nil {
		return nil
	}
	for i, h := range hosts {
		c, err := h.Canonical()
		if err == nil {
			err = c.CheckAskable()
		}
		var told *app.Error
		if errors.As(err, &told) {
			at := *told
			at.Field = fmt.Sprintf("%s[%d].%s", path, i, told.Field)
			return &at
		}
	}
	return nil
}

// proposed is the list as an agent may ask for it: never private.
func proposed(list []app.Host) []app.Host {
	list = slices.Clone(list)
	for i := range list {
		list[i].Private = false
	}
	return list
}

func allowedOf(requests []app.HostRequest) []app.Host {
	list := make([]app.Host, 0, len(requests))
	for _, r := range requests {
		if r.Allowed {
			list = append(list, r.Host)
		}
	}
	return list
}

func sameHost(a, b app.Host) bool {
	return a.Name == b.Name && slices.Equal(a.Ports, b.Ports) && a.Protocol == b.Protocol && a.Private == b.Private && a.Reason == b.Reason
}

// sameHosts compares without regard to order.
func sameHosts(a, b []app.Host) bool {
	return slices.EqualFunc(sortedHosts(a), sortedHosts(b), sameHost)
}

func sortedHosts(list []app.Host) []app.Host {
	return slices.SortedFunc(slices.Values(list), func(a, b app.Host) int { return strings.Compare(a.String(), b.String()) })
}

func tooManyHosts() error {
	return app.Invalid("hosts", fmt.Sprintf("a profile has at most %d hosts", app.MaxHosts), "Use fewer hosts or a wildcard such as *.example.com.")
}
