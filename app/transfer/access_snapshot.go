package transfer

import (
	"context"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/store"
)

// accessSnapshot is who may come in and what may run in a database.
// An older copy that replaces the database must not give back what was taken away since:
// a password that leaked, a person who left, a profile that was revoked.
type accessSnapshot struct {
	people   []store.PersonRow
	settings map[string]store.Setting
	profiles map[string]profileState // by handle
}

type profileState struct {
	revoked            bool
	revokedAt, expires int64 // unix milliseconds
}

// snapshotSettings returns the settings that a snapshot keeps, whether they are set or not.
func snapshotSettings() []string { return slices.Concat(auth.SettingKeys(), instance.SwitchKeys()) }

// readAccessSnapshot reads the snapshot of a database.
func readAccessSnapshot(ctx context.Context, tx *store.Tx) (s accessSnapshot, err error) {
	if err := tx.People.Each(ctx,
		func(p store.PersonRow) error { s.people = append(s.people, p); return nil }); err != nil {
		return s, err
	}
	if s.settings, err = tx.Settings.GetAll(ctx, snapshotSettings()...); err != nil {
		return s, err
	}
	profiles, err := tx.Profiles.Rows(ctx)
	if err != nil {
		return s, err
	}
	s.profiles = make(map[string]profileState, len(profiles))
	for _, p := range profiles {
		s.profiles[p.Handle] = profileState{p.Revoked, p.RevokedAt, p.ExpiresAt}
	}
	return s, nil
}

// keep applies the snapshot to another database: people with their passwords, the admin token,
// retirement and pause become the snapshot's. Profiles that it has revoked, or doesn't have, are
// revoked; none lives longer than in the snapshot.
func (s accessSnapshot) keep(ctx context.Context, tx *store.Tx, by app.Actor, at time.Time) error {
	if err := tx.People.Replace(ctx, s.people); err != nil {
		return err
	}
	for _, key := range snapshotSettings() {
		set, ok := s.settings[key]
		var err error
		if ok {
			set.Value = append([]byte{}, set.Value...) // an empty value is read as nil, which the column refuses
			err = tx.Settings.Set(ctx, set.UpdatedAt, set)
		} else {
			err = tx.Settings.Delete(ctx, key)
		}
		if err != nil {
			return err
		}
	}
	profiles, err := tx.Profiles.Rows(ctx)
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if err := s.keepProfile(ctx, tx, p, by, at); err != nil {
			return err
		}
	}
	return nil
}

func (s accessSnapshot) keepProfile(ctx context.Context, tx *store.Tx, row store.ProfileRow, by app.Actor,
	at time.Time) error {
	now, here := s.profiles[row.Handle]
	revoke := !row.Revoked && (!here || now.revoked)
	shorten := now.expires > 0 && (row.ExpiresAt == 0 || row.ExpiresAt > now.expires)
	if !revoke && !shorten {
		return nil
	}
	p, err := tx.Profiles.ByHandle(ctx, row.Handle)
	if err != nil {
		return err
	}
	revokedAt := time.Time{}
	if p.Revoked = p.Revoked || revoke; revoke {
		if revokedAt = at; here {
			revokedAt = time.UnixMilli(now.revokedAt).UTC()
		}
		event := app.NewEvent(at, by, "profile.revoke", row.Handle,
			"Revoked: it was revoked or deleted in the database that a copy took the place of.")
		if err := tx.Audit(ctx, event); err != nil {
			return err
		}
	}
	if shorten {
		p.ExpiresAt = time.UnixMilli(now.expires).UTC()
	}
	_, err = tx.Profiles.Update(ctx, p, revokedAt, p.UpdatedAt, at)
	return err
}

// endOpenings removes the sessions, invitations and admin token from a copy of a database. The
// operator then makes a new token on the host.
func endOpenings(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.Sessions.DeleteAll(ctx); err != nil {
		return err
	}
	if err := tx.Invitations.DeleteAll(ctx); err != nil {
		return err
	}
	for _, key := range auth.SettingKeys() {
		if err := tx.Settings.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
