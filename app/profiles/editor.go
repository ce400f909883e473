package profiles

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// editor reads profiles, and changes them by rules.
type editor struct {
	store         *store.Store
	keyring       *secrets.Keyring
	hub           *live.Hub
	now           func() time.Time
	unclaimedLife time.Duration
}

func (s *editor) load(ctx context.Context, find func(tx *store.Tx) (store.Profile, error)) (app.Profile, error) {
	var p store.Profile
	err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = find(tx)
		return err
	})
	if err != nil {
		return app.Profile{}, err
	}
	return s.open(p)
}

// open sets the id, and the expiry of an unclaimed profile that is too old.
func (s *editor) open(p store.Profile) (app.Profile, error) {
	id, err := s.keyring.Open(secrets.Profiles, secrets.ProfileRow(p.Handle), p.SealedID)
	if err != nil {
		return app.Profile{}, fmt.Errorf("profiles: profile %s: %w", p.Handle, err)
	}
	p.ID = string(id)
	s.expireUnclaimed(&p)
	return p.Profile, nil
}

// expireUnclaimed expires an unclaimed profile due for removal.
func (s *editor) expireUnclaimed(p *store.Profile) {
	end := p.CreatedAt.Add(s.unclaimedLife)
	if p.ClaimedAt.IsZero() && p.ExpiresAt.IsZero() && !s.now().Before(end) {
		p.ExpiresAt = end
	}
}

// rule checks and makes a change of a profile. It returns the audit event's action and detail; an
// empty action changes nothing.
type rule func(tx *store.Tx, p *store.Profile) (action, detail string, err error)

// change applies a rule to a profile, then saves and audits it in one transaction.
func (s *editor) change(ctx context.Context, by app.Actor, handle string, apply rule) (app.Profile, error) {
	done := false
	var p store.Profile
	err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
		if p, err = tx.Profiles.ByHandle(ctx, handle); err != nil {
			return err
		}
		before := p
		if p.ClaimedAt.IsZero() && by.PeopleOnly() == nil {
			p.ClaimedAt = s.now()
		}
		s.expireUnclaimed(&p)
		action, detail, err := apply(tx, &p)
		if err != nil || action == "" {
			p = before
			return err
		}
		var revokedAt time.Time
		if p.Revoked && !before.Revoked {
			revokedAt = s.now()
		}
		if _, err := tx.Profiles.Update(ctx, p, revokedAt, before.UpdatedAt, s.now()); err != nil {
			return err
		}
		if p, err = tx.Profiles.ByHandle(ctx, handle); err != nil {
			return err
		}
		done = true
		return tx.Audit(ctx, app.NewEvent(s.now(), by, action, handle, detail))
	})
	if err != nil {
		return app.Profile{}, err
	}
	if done {
		s.hub.PublishProfiles(handle)
	}
	return s.open(p)
}
