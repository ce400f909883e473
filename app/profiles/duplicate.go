package profiles

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Duplicate makes an unlocked copy of a profile in any state. People only. It copies keys, links,
// hosts and placement. The copy has its own id, no expiry, and grants nothing before it is locked.
func (s *Registry) Duplicate(ctx context.Context, by app.Actor, handle string) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	var made store.Profile
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		of, err := tx.Profiles.ByHandle(ctx, handle)
		if err != nil {
			return err
		}
		name := of.Description
		if name == "" {
			name = "a profile without a name"
		}
		made = s.newProfile(by, app.Truncate("Copy of "+name, app.MaxDescription), false)
		if err := tx.Profiles.Insert(ctx, made); err != nil {
			return err
		}
		copied, err := tx.Profiles.ByHandle(ctx, made.Handle)
		if err != nil {
			return err
		}
		if err := s.copyInto(ctx, tx, by, of, copied); err != nil {
			return err
		}
		if made, err = tx.Profiles.ByHandle(ctx, made.Handle); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "profile.duplicate", made.Handle,
			"A profile was created, unlocked, as a copy of "+handle+"."))
	})
	if err != nil {
		return app.Profile{}, err
	}
	s.hub.PublishProfiles(made.Handle)
	return s.open(made)
}

func (s *Registry) copyInto(ctx context.Context, tx *store.Tx, by app.Actor, of, to store.Profile) error {
	if err := tx.Profiles.SetKeys(ctx, to.Row, of.Keys, s.now()); err != nil {
		return err
	}
	var asked []app.Host
	for _, h := range of.Hosts {
		if !h.Allowed {
			asked = append(asked, h.Host)
		}
	}
	if err := tx.Profiles.ProposeHosts(ctx, to.Row, asked, by, s.now()); err != nil {
		return err
	}
	if err := tx.Profiles.DecideHosts(ctx, to.Row, app.AllowedHosts(of.Hosts), nil, by, s.now()); err != nil {
		return err
	}
	seen := to.UpdatedAt
	to.Placement, to.MayRun = of.Placement, of.MayRun
	_, err := tx.Profiles.Update(ctx, to, s.now(), seen, s.now())
	return err
}
