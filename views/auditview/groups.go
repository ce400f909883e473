package auditview

import (
	"slices"
	"strings"
	"time"
)

// groupGap bounds the time between two entries of one setup.
const groupGap = 10 * time.Minute

// Group holds one entry, or a profile's setup, newest first.
type Group []Row

// newest returns the entry that represents the group.
func (g Group) newest() Row { return g[0] }

// Groups joins one actor's successive setup of one profile. The order stays.
func Groups(rows []Row) []Group {
	var all []Group
	for _, r := range rows {
		if n := len(all); n > 0 && all[n-1].takes(r) {
			all[n-1] = append(all[n-1], r)
			continue
		}
		all = append(all, Group{r})
	}
	return all
}

func (g Group) takes(r Row) bool {
	last := g[len(g)-1]
	if !setsUp(last) || !setsUp(r) || last.Actor != r.Actor || last.At.Sub(r.At) > groupGap {
		return false
	}
	if !isProfile(r) && !slices.ContainsFunc(g, isProfile) {
		return false
	}
	for _, one := range g {
		if isProfile(one) && isProfile(r) && one.Subject != r.Subject {
			return false
		}
	}
	return true
}

func setsUp(r Row) bool {
	return slices.Contains([]string{
		"credential.create", "credential.set", "profile.create", "profile.describe", "profile.expiry",
		"profile.hosts", "profile.key_remove", "profile.keys", "profile.link", "profile.lock", "profile.may_run",
		"profile.placement", "profile.propose_hosts",
	}, r.Action)
}

func isProfile(r Row) bool { return strings.HasPrefix(r.Action, "profile.") }

// subject returns the group's first entry about a profile, or any.
func (g Group) subject() Row {
	if i := slices.IndexFunc(g, isProfile); i >= 0 {
		return g[i]
	}
	return g[0]
}
