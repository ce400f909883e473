package access

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// DuplicateProfile makes an unlocked profile with the keys, their links, the hosts and the placement of another, whatever state that is in. It has an id of its
// own and no end, and grants nothing before it is locked. People only.
func (s *Service) DuplicateProfile(ctx context.Context, by app.Actor, handle string) (app.Profile, error) {
	if err := peopleOnly(by); err != nil {
		return app.Profile{}, err
	}
	var made store.Profile
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		of, err := tx.ProfileByHandle(ctx, handle)
		if err != nil {
			return err
		}
		name := of.Description
		if name == "" {
			name = "a profile without a name"
		}
		made = s.newProfile(by, app.Clip("Copy of "+name, app.MaxDescription), false)
		if err := tx.InsertProfile(ctx, made); err != nil {
			return err
		}
		copied, err := tx.ProfileByHandle(ctx, made.Handle)
		if err != nil {
			return err
		}
		if err := s.copyInto(ctx, tx, by, of, copied); err != nil {
			return err
		}
		if made, err = tx.ProfileByHandle(ctx, made.Handle); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "profile.duplicate", made.Handle, "A profile was created, unlocked, as a copy of "+handle+"."))
	})
	if err != nil {
		return app.Profile{}, err
	}
	s.publishProfiles(made.Handle)
	return s.opened(made)
}

func (s *Service) copyInto(ctx context.Context, tx *store.Tx, by app.Actor, of, to store.Profile) error {
	if err := tx.SetKeys(ctx, to.Row, of.Keys, s.now()); err != nil {
		return err
	}
	var asked []app.Host
	for _, h := range of.Hosts {
		if !h.Allowed {
			asked = append(asked, h.Host)
		}
	}
	if err := tx.ProposeHosts(ctx, to.Row, asked, by, s.now()); err != nil {
		return err
	}
	if err := tx.DecideHosts(ctx, to.Row, allowedOf(of.Hosts), nil, by, s.now()); err != nil {
		return err
	}
	seen := to.UpdatedAt
	to.Placement = of.Placement
	_, err := tx.UpdateProfile(ctx, to, s.now(), seen, s.now())
	return err
}
