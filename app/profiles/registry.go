package profiles

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Registry creates, finds and deletes profiles.
type Registry struct {
	*editor
	agents       bool // may create profiles
	maxUnclaimed int
}

// Create makes an unlocked profile. An agent's gets a pairing code and counts against the quota. A
// retired instance makes none for agents.
func (s *Registry) Create(ctx context.Context, by app.Actor, description string) (app.Profile, error) {
	if err := app.CheckText("description", description, app.MaxDescription); err != nil {
		return app.Profile{}, err
	}
	agent := by.PeopleOnly() != nil
	if agent && !s.agents {
		return app.Profile{}, app.E(app.CodeProfilesDisabled, "agents can't create profiles here",
			"Ask the person who runs Airlock to create a profile and give you its id.")
	}
	if agent {
		if err := s.store.CheckFreeSpace(ctx); err != nil {
			return app.Profile{}, err
		}
	}
	p := s.newProfile(by, description, agent)
	var removed []string
	err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
		if agent {
			retired, err := instance.ReadRetired(ctx, tx)
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
		if err := tx.Profiles.Insert(ctx, p); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "profile.create", p.Handle, "A profile was created, unlocked."))
	})
	if err != nil {
		return app.Profile{}, err
	}
	s.hub.PublishProfiles(append(removed, p.Handle)...)
	return p.Profile, nil
}

func (s *Registry) newProfile(by app.Actor, description string, agent bool) store.Profile {
	p := store.Profile{Profile: app.Profile{
		ID: app.NewProfileID(), Handle: app.NewID(), Description: description,
		CreatedBy: by, CreatedFrom: by.Address, MayRun: app.MayRunAny, CreatedAt: s.now(), UpdatedAt: s.now(),
	}}
	if agent {
		p.PairingCode = app.NewPairingCode()
	} else {
		p.ClaimedAt = p.CreatedAt
	}
	p.Lookup = s.keyring.Lookup(secrets.Profiles, p.ID)
	p.SealedID = s.keyring.Seal(secrets.Profiles, secrets.ProfileRow(p.Handle), []byte(p.ID))
	return p
}

// checkQuota refuses an agent's profile when too many wait for a person. An address may have only
// as many as it leaves free, so it can't block all agents.
func (s *Registry) checkQuota(ctx context.Context, tx *store.Tx, address string) error {
	all, err := tx.Profiles.ListUnclaimedAddresses(ctx)
	if err != nil {
		return err
	}
	own := 0
	for _, from := range all {
		if auth.Origin(from) == auth.Origin(address) {
			own++
		}
	}
	const hint = "Use a profile you have, or ask the person who runs Airlock to look at the waiting ones, then try again."
	switch free := s.maxUnclaimed - len(all); {
	case free <= 0:
		return app.E(app.CodeRateLimited, fmt.Sprintf("%d profiles already wait for a person", len(all)), hint)
	case own >= free:
		return app.E(app.CodeRateLimited,
			fmt.Sprintf("%d profiles that were made from this address already wait for a person", own), hint)
	}
	return nil
}

// Sweep removes unclaimed profiles that are too old. Call it hourly; Create does it too.
func (s *Registry) Sweep(ctx context.Context) error {
	var removed []string
	err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
		removed, err = s.sweep(ctx, tx)
		return err
	})
	if err == nil {
		s.hub.PublishProfiles(removed...)
	}
	return err
}

func (s *Registry) sweep(ctx context.Context, tx *store.Tx) ([]string, error) {
	removed, err := tx.Profiles.DeleteUnclaimed(ctx, s.now().Add(-s.unclaimedLife))
	if err != nil {
		return nil, err
	}
	for _, handle := range removed {
		event := app.NewEvent(s.now(), app.System(), "profile.delete", handle,
			"Nobody worked on the agent's profile in time; it was removed.")
		if err := tx.Audit(ctx, event); err != nil {
			return nil, err
		}
	}
	return removed, nil
}

// ByID finds a profile by its id, the agent's token.
func (s *Registry) ByID(ctx context.Context, id string) (app.Profile, error) {
	if !app.IsProfileID(id) {
		return app.Profile{}, noSuchProfile()
	}
	return s.load(ctx, func(tx *store.Tx) (store.Profile, error) {
		return tx.Profiles.ByLookup(ctx, s.keyring.Lookup(secrets.Profiles, id))
	})
}

// ByHandle finds a profile for people.
func (s *Registry) ByHandle(ctx context.Context, handle string) (app.Profile, error) {
	return s.load(ctx, func(tx *store.Tx) (store.Profile, error) { return tx.Profiles.ByHandle(ctx, handle) })
}

// List lists all profiles for people, newest first, with opened IDs to copy.
func (s *Registry) List(ctx context.Context) ([]app.Profile, error) {
	var stored []store.Profile
	err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		stored, err = tx.Profiles.List(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	list := make([]app.Profile, len(stored))
	for i, p := range stored {
		if list[i], err = s.open(p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Describe changes the description. People only.
func (s *Registry) Describe(ctx context.Context, by app.Actor, handle, description string) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
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

// Delete removes a profile; its executions stay. People only. The engine ends unfinished ones when
// nudged.
func (s *Registry) Delete(ctx context.Context, by app.Actor, handle string) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		p, err := tx.Profiles.ByHandle(ctx, handle)
		if err != nil {
			return err
		}
		if err := tx.Profiles.Delete(ctx, p.Row); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "profile.delete", handle,
			"Deleted the profile; its executions stay."))
	})
	if err == nil {
		s.hub.PublishProfiles(handle)
	}
	return err
}
