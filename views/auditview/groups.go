package auditview

import (
	"slices"
	"strings"
	"time"
)

// groupGap is the longest time between two entries of one setup.
const groupGap = 10 * time.Minute

// Group is one entry, or the entries by which somebody set up one profile, newest first.
type Group []Row

// newest is the entry that stands for the group.
func (g Group) newest() Row { return g[0] }

// Groups puts together what one actor did in a row to set up one profile. The order stays.
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

// takes reports whether the next older entry belongs to the group.
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

// setsUp reports whether an entry is a step of setting up a profile.
func setsUp(r Row) bool {
	return slices.Contains([]string{
		"credential.create", "credential.set", "profile.create", "profile.describe", "profile.expiry",
		"profile.hosts", "profile.key_remove", "profile.keys", "profile.link", "profile.lock", "profile.may_run",
		"profile.placement", "profile.propose_hosts",
	}, r.Action)
}

func isProfile(r Row) bool { return strings.HasPrefix(r.Action, "profile.") }

// subject is the entry that says what the group is about: one of a profile, if there is one.
func (g Group) subject() Row {
	if i := slices.IndexFunc(g, isProfile); i >= 0 {
		return g[i]
	}
	return g[0]
}
