package profiles

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Binder returns what an execution of a profile is bound to.
type Binder struct{ *editor }

// Policy returns one version of a profile's policy. ProfileID is empty if the profile was deleted.
func (s *Binder) Policy(ctx context.Context, handle string, version int) (app.Policy, error) {
	var found app.Policy
	var p store.Profile
	err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		if found, err = tx.Policies.Version(ctx, handle, version); err != nil {
			return err
		}
		if p, err = tx.Profiles.ByHandle(ctx, handle); app.CodeOf(err) == app.CodeNotFound {
			return nil
		}
		return err
	})
	if err != nil || p.Row == 0 {
		return found, err
	}
	profile, err := s.open(p)
	found.ProfileID = profile.ID
	return found, err
}

// ReadBound returns an execution's profile and newest policy, from one snapshot. The profile is
// partial; there may be no policy.
func (s *Binder) ReadBound(ctx context.Context, handle string) (app.Profile, app.Policy, error) {
	return s.bind(ctx, func(tx *store.Tx) (store.Profile, error) { return tx.Profiles.ToRun(ctx, handle) })
}

// ReadBoundByID is ReadBound by the profile's id, for a submission.
func (s *Binder) ReadBoundByID(ctx context.Context, id string) (app.Profile, app.Policy, error) {
	if !app.IsProfileID(id) {
		return app.Profile{}, app.Policy{}, noSuchProfile()
	}
	return s.bind(ctx, func(tx *store.Tx) (store.Profile, error) {
		return tx.Profiles.ToRunByLookup(ctx, s.keyring.Lookup(secrets.Profiles, id))
	})
}

func (s *Binder) bind(
	ctx context.Context, find func(tx *store.Tx) (store.Profile, error),
) (app.Profile, app.Policy, error) {
	var p store.Profile
	var found app.Policy
	err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		if p, err = find(tx); err == nil && p.Policy > 0 {
			found, err = tx.Policies.Version(ctx, p.Handle, p.Policy)
		}
		return err
	})
	if err != nil {
		return app.Profile{}, app.Policy{}, err
	}
	profile, err := s.open(p)
	found.ProfileID = profile.ID
	return profile, found, err
}

func noSuchProfile() error {
	return app.E(app.CodeNotFound, "there is no such profile",
		"Check the id: it begins with "+app.ProfilePrefix+" and is given when the profile is created.")
}
