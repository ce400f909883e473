package profiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/store"
)

// Hosts changes the hosts of profiles.
type Hosts struct {
	*editor
	versions *policy.Versions
}

// Propose records hosts that an agent asks for, before or after the lock. They grant nothing.
// Private is ignored, and so are allowed hosts. Requests for the same undecided host and port are
// merged. A declined host waits again only with another reason.
func (s *Hosts) Propose(ctx context.Context, by app.Actor, handle string, hosts []app.Host) (app.Profile, error) {
	list, err := app.CanonicalHosts(hosts)
	if err != nil {
		return app.Profile{}, err
	}
	if len(list) == 0 {
		return app.Profile{}, app.Invalid("hosts", "no hosts were given",
			`Send at least one, such as {"hosts":[{"host":"api.example.com","reason":"why you need it"}]}.`)
	}
	if err := checkAskable(by, "hosts", hosts); err != nil {
		return app.Profile{}, err
	}
	list = proposedHosts(list)
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanUse(s.now()); err != nil {
			return "", "", err
		}
		if err := app.CheckAdded(list, app.AllowedHosts(p.Hosts)); err != nil {
			return "", "", err
		}
		asked, err := s.ask(ctx, tx, by, p, list)
		if err != nil || len(asked) == 0 {
			return "", "", err
		}
		return "profile.propose_hosts", "Asked for " + app.BriefHosts(asked) + ".", nil
	})
}

// Set makes exactly these hosts the allowed ones. People only. Other proposals stay undecided,
// unless dismissed (as Host.String) or fully allowed. After the lock it makes a new policy version,
// for later executions.
func (s *Hosts) Set(
	ctx context.Context, by app.Actor, handle string, allowed []app.Host, dismissed []string,
) (app.Profile, error) {
	return s.SetAsSeen(ctx, by, handle, time.Time{}, allowed, dismissed)
}

// SetAsSeen is Set if the profile's UpdatedAt still is seen. Else CodeConflict: removed hosts would
// come back. Zero skips the check.
func (s *Hosts) SetAsSeen(
	ctx context.Context, by app.Actor, handle string, seen time.Time, allowed []app.Host, dismissed []string,
) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	list, err := app.CanonicalHosts(allowed)
	if err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if p.Revoked {
			return "", "", p.CanUse(s.now())
		}
		if !seen.IsZero() && !seen.Equal(p.UpdatedAt) {
			return "", "", app.E(app.CodeConflict, "the profile was changed after you looked at it",
				"Look at what it would grant now.")
		}
		if err := app.CheckAdded(list, app.AllowedHosts(p.Hosts)); err != nil {
			return "", "", err
		}
		keepReasons(list, p.Hosts)
		decided := grantedRequests(p.Hosts, list)
		goes := func(h app.HostRequest) bool {
			return slices.Contains(dismissed, h.String()) || slices.Contains(decided, h.String())
		}
		before := p.Policy
		if p.Locked { // first: the policy counts, whatever the page shows
			if err := s.versions.WithHosts(ctx, tx, by, p, list); err != nil {
				return "", "", err
			}
		}
		if p.Policy == before && app.SameHosts(app.AllowedHosts(p.Hosts), list) &&
			!slices.ContainsFunc(p.Hosts, goes) {
			return "", "", nil
		}
		if err := tx.Profiles.RemoveRequests(ctx, p.Row, decided); err != nil {
			return "", "", err
		}
		return "profile.hosts", hostsDetail(list), tx.Profiles.DecideHosts(ctx, p.Row, list, dismissed, by, s.now())
	})
}

// grantedRequests returns the requests that the allowed hosts fully cover.
func grantedRequests(requests []app.HostRequest, allowed []app.Host) (entries []string) {
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

// grants reports whether an allowed entry covers a request, with the same protocol.
func grants(allowed, asked app.Host) bool {
	return covers(allowed, asked) && allowed.Protocol == asked.Protocol &&
		allowed.KeyReference() == asked.KeyReference()
}

// keepReasons copies the reasons of requests to allowed hosts that have none.
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

// checkAskable refuses hosts that only a person may choose. Its errors name the field below path,
// the list's place in the request.
func checkAskable(by app.Actor, path string, hosts []app.Host) error {
	if by.PeopleOnly() == nil {
		return nil
	}
	for i, h := range hosts {
		c, err := h.Canonical()
		if err == nil {
			err = cmp.Or(c.CheckAskable(), checkOwner(c))
		}
		var refused *app.Error
		if errors.As(err, &refused) {
			at := *refused
			at.Field = fmt.Sprintf("%s[%d].%s", path, i, refused.Field)
			return &at
		}
	}
	return nil
}

// checkOwner refuses a wildcard below a public suffix, where anybody can have a name.
func checkOwner(h app.Host) error {
	suffix := h.PublicSuffix()
	if suffix == "" {
		return nil
	}
	return app.Invalid("host", fmt.Sprintf("host %q covers names of many owners: anybody can have a name below %s",
		h.Name, suffix), "Name the host itself, or a wildcard below one owner's name, such as *.example.com.")
}

// proposedHosts returns an agent's list, never private.
func proposedHosts(list []app.Host) []app.Host {
	list = slices.Clone(list)
	for i := range list {
		list[i].Private = false
	}
	return list
}
