package profiles

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/store"
)

// Lifecycle locks, revokes, restores and expires profiles.
type Lifecycle struct {
	*editor
	versions *policy.Versions
}

// Lock makes the first policy version and locks the profile, for good. People only. It dismisses
// hosts that are not allowed. CodeConflict if the profile's UpdatedAt is no longer seen; zero skips
// the check.
func (s *Lifecycle) Lock(ctx context.Context, by app.Actor, handle string, seen time.Time) (app.Profile, error) {
	return s.LockTo(ctx, by, handle, seen, "")
}

// LockTo is Lock, and says which code the profile may run; "" changes nothing.
func (s *Lifecycle) LockTo(ctx context.Context, by app.Actor, handle string, seen time.Time, may app.MayRun) (
	app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanChangeKeys(s.now()); err != nil {
			return "", "", err
		}
		if !seen.IsZero() && !seen.Equal(p.UpdatedAt) {
			return "", "", app.E(app.CodeConflict, "the profile was changed after you looked at it",
				"Look at what it asks for now, then lock it.")
		}
		if err := p.CanLock(s.now()); err != nil {
			return "", "", err
		}
		left := leftOutHosts(p.Hosts)
		if len(left) > 0 { // the lock is the decision about them
			if err := tx.Profiles.DecideHosts(ctx, p.Row, app.AllowedHosts(p.Hosts), left, by, s.now()); err != nil {
				return "", "", err
			}
		}
		if err := s.versions.First(ctx, tx, by, p); err != nil {
			return "", "", err
		}
		p.Locked, p.LockedAt, p.MayRun = true, s.now(), cmp.Or(may, p.MayRun)
		return "profile.lock", lockDetail(p.Profile, left) + " " + p.MayRun.Sentence(), nil
	})
}

// leftOutHosts returns the requested entries that are not allowed.
func leftOutHosts(hosts []app.HostRequest) (entries []string) {
	for _, h := range hosts {
		if !h.Allowed {
			entries = append(entries, h.String())
		}
	}
	return entries
}

func lockDetail(p app.Profile, left []string) string {
	keys := make([]string, len(p.Keys))
	for i, k := range p.Keys {
		keys[i] = fmt.Sprintf("%s (%s, %s)", k.Name, k.Credential, k.CredentialMode)
	}
	if len(keys) == 0 {
		keys = []string{"no keys"}
	}
	detail := "Locked with " + strings.Join(keys, ", ") + ". " + hostsDetail(app.AllowedHosts(p.Hosts))
	if len(left) > 0 {
		detail += " Dismissed " + strings.Join(left, ", ") + "."
	}
	return detail
}

// Revoke ends the profile at once. People only. Within app.RestoreTime, Restore undoes it. The
// engine ends its executions when nudged.
func (s *Lifecycle) Revoke(ctx context.Context, by app.Actor, handle string) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(_ *store.Tx, p *store.Profile) (string, string, error) {
		if p.Revoked {
			return "", "", nil
		}
		p.Revoked = true
		return "profile.revoke", "Revoked.", nil
	})
}

// Restore undoes a revocation (see app.Profile.CanRestore). Stopped executions stay stopped. People
// only.
func (s *Lifecycle) Restore(ctx context.Context, by app.Actor, handle string) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(_ *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanRestore(s.now()); err != nil {
			return "", "", err
		}
		p.Revoked = false
		return "profile.restore", "Revocation undone.", nil
	})
}

// SetExpiry sets or (zero) removes the expiry, also of an expired profile. People only. A past time
// is CodeInvalidField.
func (s *Lifecycle) SetExpiry(ctx context.Context, by app.Actor, handle string, at time.Time) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	at = at.UTC().Truncate(time.Millisecond)
	if !at.IsZero() && (!at.After(s.now()) || at.Year() > 9999) {
		return app.Profile{}, app.Invalid("expires_at", "the profile would expire in the past, or after the year 9999",
			"Choose a time to come, or revoke the profile to end it now.")
	}
	return s.change(ctx, by, handle, func(_ *store.Tx, p *store.Profile) (string, string, error) {
		if p.Revoked {
			return "", "", p.CanUse(s.now())
		}
		if p.ExpiresAt.Equal(at) {
			return "", "", nil
		}
		p.ExpiresAt = at
		if at.IsZero() {
			return "profile.expiry", "It never expires.", nil
		}
		return "profile.expiry", "It expires at " + at.Format(time.RFC3339) + ".", nil
	})
}
