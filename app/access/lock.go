package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// DescribeProfile changes the description. People only.
func (s *Service) DescribeProfile(ctx context.Context, by app.Actor, handle, description string) (app.Profile, error) {
	if err := peopleOnly(by); err != nil {
		return app.Profile{}, err
	}
	if err := app.CheckText("description", description, app.MaxDescription); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(_ *store.Tx, p *store.Profile) (string, string, error) {
		if p.Description == description {
			return "", "", nil
		}
		p.Description = description
		return "profile.describe", "Changed the description.", nil
	})
}

// Lock makes the first policy version and locks, one-way. Hosts that were asked for and not allowed are dismissed with it. seen is the profile's UpdatedAt that the person looked at: if it changed since, CodeConflict.
// A zero seen skips that check. People only.
func (s *Service) Lock(ctx context.Context, by app.Actor, handle string, seen time.Time) (app.Profile, error) {
	if err := peopleOnly(by); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanChangeKeys(s.now()); err != nil {
			return "", "", err
		}
		if !seen.IsZero() && !seen.Equal(p.UpdatedAt) {
			return "", "", app.E(app.CodeConflict, "the profile was changed after you looked at it", "Look at what it asks for now, then lock it.")
		}
		if err := p.CanLock(s.now()); err != nil {
			return "", "", err
		}
		left := leftOut(p.Hosts)
		if len(left) > 0 { // the lock is the decision about them
			if err := tx.DecideHosts(ctx, p.Row, allowedOf(p.Hosts), left, by, s.now()); err != nil {
				return "", "", err
			}
		}
		if err := s.firstPolicy(ctx, tx, by, p); err != nil {
			return "", "", err
		}
		p.Locked, p.LockedAt = true, s.now()
		return "profile.lock", lockDetail(p.Profile, left), nil
	})
}

// leftOut are the entries that were asked for and not allowed.
func leftOut(hosts []app.HostRequest) (entries []string) {
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
	detail := "Locked with " + strings.Join(keys, ", ") + ". " + hostsDetail(allowedOf(p.Hosts))
	if len(left) > 0 {
		detail += " Dismissed " + strings.Join(left, ", ") + "."
	}
	return detail
}

// Revoke ends the profile at once; within app.RestoreTime Restore takes it back. Revoking it again changes nothing. People only. Callers that have an engine also call its KillProfile.
func (s *Service) Revoke(ctx context.Context, by app.Actor, handle string) (app.Profile, error) {
	if err := peopleOnly(by); err != nil {
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

// Restore takes a revocation back (see app.Profile.CanRestore). What the revocation stopped stays stopped. People only.
func (s *Service) Restore(ctx context.Context, by app.Actor, handle string) (app.Profile, error) {
	if err := peopleOnly(by); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(_ *store.Tx, p *store.Profile) (string, string, error) {
		if err := p.CanRestore(s.now()); err != nil {
			return "", "", err
		}
		p.Revoked = false
		return "profile.restore", "The revocation was taken back.", nil
	})
}

// SetExpiry sets, extends or (zero) removes the expiry, also of an expired profile. A time that is over is CodeInvalidField. People only.
func (s *Service) SetExpiry(ctx context.Context, by app.Actor, handle string, at time.Time) (app.Profile, error) {
	if err := peopleOnly(by); err != nil {
		return app.Profile{}, err
	}
	at = at.UTC().Truncate(time.Millisecond)
	if !at.IsZero() && (!at.After(s.now()) || at.Year() > 9999) {
		return app.Profile{}, app.Invalid("expires_at", "the profile would expire in the past, or after the year 9999", "Choose a time to come, or revoke the profile to end it now.")
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
		return "profile.expiry", "It expires at " + text(at) + ".", nil
	})
}

// DeleteProfile removes a profile; its executions stay. People only. Callers that have an engine also call its KillProfile.
func (s *Service) DeleteProfile(ctx context.Context, by app.Actor, handle string) error {
	if err := peopleOnly(by); err != nil {
		return err
	}
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		p, err := tx.ProfileByHandle(ctx, handle)
		if err != nil {
			return err
		}
		if err := tx.DeleteProfile(ctx, p.Row); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "profile.delete", handle, "Deleted the profile; its executions stay."))
	})
	if err == nil {
		s.publishProfiles(handle)
	}
	return err
}
