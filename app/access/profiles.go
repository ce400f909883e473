package access

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// CreateProfile makes an unlocked profile. For an agent it gets a pairing code and counts against the quota, and there is none on an instance that is retired: nobody would find it on the new one.
func (s *Service) CreateProfile(ctx context.Context, by app.Actor, description string) (app.Profile, error) {
	if err := app.CheckText("description", description, app.MaxDescription); err != nil {
		return app.Profile{}, err
	}
	agent := peopleOnly(by) != nil
	if agent && !s.cfg.AgentProfiles {
		return app.Profile{}, app.E(app.CodeProfilesDisabled, "agents can't create profiles here",
			"Ask the person who runs Airlock to create a profile and give you its id.")
	}
	if agent {
		if err := s.cfg.Store.Roomy(ctx); err != nil {
			return app.Profile{}, err
		}
	}
	p := s.newProfile(by, description, agent)
	var removed []string
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if agent {
			retired, err := ReadRetired(ctx, tx)
			if err == nil {
				err = retired.Err()
			}
			if err != nil {
				return err
			}
			if removed, err = s.sweep(ctx, tx); err != nil {
				return err
			}
			if err := s.checkQuota(ctx, tx, by.Address); err != nil {
				return err
			}
		}
		if err := tx.InsertProfile(ctx, p); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "profile.create", p.Handle, "A profile was created, unlocked."))
	})
	if err != nil {
		return app.Profile{}, err
	}
	s.publishProfiles(append(removed, p.Handle)...)
	return p.Profile, nil
}

func (s *Service) newProfile(by app.Actor, description string, agent bool) store.Profile {
	p := store.Profile{Profile: app.Profile{
		ID: app.NewProfileID(), Handle: app.NewID(), Description: description,
		CreatedBy: by, CreatedFrom: by.Address, CreatedAt: s.now(), UpdatedAt: s.now(),
	}}
	if agent {
		p.PairingCode = app.NewPairingCode()
	} else {
		p.ClaimedAt = p.CreatedAt
	}
	p.Lookup = s.cfg.Keyring.Lookup(secrets.Profiles, p.ID)
	p.SealedID = s.cfg.Keyring.Seal(secrets.Profiles, secrets.ProfileRow(p.Handle), []byte(p.ID))
	return p
}

// checkQuota refuses an agent's profile when too many wait for a person. An address may have as many as it leaves to others, or a single one would keep all other agents out for days.
func (s *Service) checkQuota(ctx context.Context, tx *store.Tx, address string) error {
	all, err := tx.UnclaimedFrom(ctx)
	if err != nil {
		return err
	}
	own := 0
	for _, from := range all {
		if origin(from) == origin(address) {
			own++
		}
	}
	const hint = "Use a profile you have, or ask the person who runs Airlock to look at the waiting ones, then try again."
	switch free := s.cfg.MaxUnclaimed - len(all); {
	case free <= 0:
		return app.E(app.CodeRateLimited, fmt.Sprintf("%d profiles already wait for a person", len(all)), hint)
	case own >= free:
		return app.E(app.CodeRateLimited, fmt.Sprintf("%d profiles that were made from this address already wait for a person", own), hint)
	}
	return nil
}

// Sweep removes unclaimed profiles whose time is over. CreateProfile does it too; call it now and then.
func (s *Service) Sweep(ctx context.Context) error {
	var removed []string
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		removed, err = s.sweep(ctx, tx)
		return err
	})
	if err == nil {
		s.publishProfiles(removed...)
	}
	return err
}

func (s *Service) sweep(ctx context.Context, tx *store.Tx) ([]string, error) {
	removed, err := tx.DeleteUnclaimed(ctx, s.now().Add(-s.cfg.UnclaimedLife))
	if err != nil {
		return nil, err
	}
	for _, handle := range removed {
		if err := tx.Audit(ctx, s.event(app.System(), "profile.delete", handle, "Nobody worked on the agent's profile in time; it was removed.")); err != nil {
			return nil, err
		}
	}
	return removed, nil
}

// Profile finds a profile by its id, the agent's token.
func (s *Service) Profile(ctx context.Context, id string) (app.Profile, error) {
	if !app.IsProfileID(id) {
		return app.Profile{}, app.E(app.CodeNotFound, "there is no such profile", "Check the id: it begins with "+app.ProfilePrefix+" and is given when the profile is created.")
	}
	return s.read(ctx, func(tx *store.Tx) (store.Profile, error) {
		return tx.ProfileByLookup(ctx, s.cfg.Keyring.Lookup(secrets.Profiles, id))
	})
}

// ProfileByHandle finds a profile for people.
func (s *Service) ProfileByHandle(ctx context.Context, handle string) (app.Profile, error) {
	return s.read(ctx, func(tx *store.Tx) (store.Profile, error) { return tx.ProfileByHandle(ctx, handle) })
}

func (s *Service) read(ctx context.Context, find func(tx *store.Tx) (store.Profile, error)) (app.Profile, error) {
	var p store.Profile
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = find(tx)
		return err
	})
	if err != nil {
		return app.Profile{}, err
	}
	return s.opened(p)
}

// Profiles lists all for people, newest first, IDs opened so that they can be copied.
func (s *Service) Profiles(ctx context.Context) ([]app.Profile, error) {
	var stored []store.Profile
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		stored, err = tx.Profiles(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	list := make([]app.Profile, len(stored))
	for i, p := range stored {
		if list[i], err = s.opened(p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// opened fills in the id, and the expiry that an unclaimed profile has by its age.
func (s *Service) opened(p store.Profile) (app.Profile, error) {
	id, err := s.cfg.Keyring.Open(secrets.Profiles, secrets.ProfileRow(p.Handle), p.SealedID)
	if err != nil {
		return app.Profile{}, fmt.Errorf("access: profile %s: %w", p.Handle, err)
	}
	p.ID = string(id)
	s.expireUnclaimed(&p)
	return p.Profile, nil
}

// expireUnclaimed makes an unclaimed profile that is due for removal expired, so that it can't be worked on by its agent until then.
func (s *Service) expireUnclaimed(p *store.Profile) {
	end := p.CreatedAt.Add(s.cfg.UnclaimedLife)
	if p.ClaimedAt.IsZero() && p.ExpiresAt.IsZero() && !s.now().Before(end) {
		p.ExpiresAt = end
	}
}

// change loads a profile, lets fn check the rules and alter it, and saves and audits it in one transaction. fn returns the event's action and
// detail; an empty action means that nothing is to be done.
func (s *Service) change(ctx context.Context, by app.Actor, handle string, fn func(tx *store.Tx, p *store.Profile) (action, detail string, err error)) (app.Profile, error) {
	done := false
	var p store.Profile
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if p, err = tx.ProfileByHandle(ctx, handle); err != nil {
			return err
		}
		before := p
		if p.ClaimedAt.IsZero() && peopleOnly(by) == nil {
			p.ClaimedAt = s.now()
		}
		s.expireUnclaimed(&p)
		action, detail, err := fn(tx, &p)
		if err != nil || action == "" {
			p = before
			return err
		}
		var revokedAt time.Time
		if p.Revoked && !before.Revoked {
			revokedAt = s.now()
		}
		if _, err := tx.UpdateProfile(ctx, p, revokedAt, before.UpdatedAt, s.now()); err != nil {
			return err
		}
		if p, err = tx.ProfileByHandle(ctx, handle); err != nil {
			return err
		}
		done = true
		return tx.Audit(ctx, s.event(by, action, handle, detail))
	})
	if err != nil {
		return app.Profile{}, err
	}
	if done {
		s.publishProfiles(handle)
	}
	return s.opened(p)
}

func (s *Service) publishProfiles(handles ...string) {
	for _, handle := range handles {
		s.cfg.Hub.Publish(live.Profile(handle))
	}
	if len(handles) > 0 {
		s.cfg.Hub.Publish(live.Profiles)
	}
}
