package access

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Standing is who may come in and what may run, as a database has it. A copy of an earlier moment that takes that database's place must not give back what was taken away since:
// a password that was changed because somebody knew it, a person who left, a profile that was revoked.
type Standing struct {
	people   []store.PersonRow
	settings map[string]store.Setting
	profiles map[string]profileStanding // by handle
}

type profileStanding struct {
	revoked            bool
	revokedAt, expires int64 // unix milliseconds
}

// standingSettings are kept as they are now, whether they are set or not.
func standingSettings() []string {
	return []string{settingToken, settingFinder, settingSpent, settingRetired, settingPause}
}

// ReadStanding reads it.
func ReadStanding(ctx context.Context, tx *store.Tx) (s Standing, err error) {
	if err := tx.EachPerson(ctx, func(p store.PersonRow) error { s.people = append(s.people, p); return nil }); err != nil {
		return s, err
	}
	if s.settings, err = tx.Settings(ctx, standingSettings()...); err != nil {
		return s, err
	}
	profiles, err := tx.ProfileRows(ctx)
	if err != nil {
		return s, err
	}
	s.profiles = make(map[string]profileStanding, len(profiles))
	for _, p := range profiles {
		s.profiles[p.Handle] = profileStanding{p.Revoked, p.RevokedAt, p.ExpiresAt}
	}
	return s, nil
}

// Keep makes it the standing of another database: people with their passwords, the admin token, retirement and pause become what they were here. A profile that was revoked here, or is
// not here any more, is revoked there, and none lives longer there.
func (s Standing) Keep(ctx context.Context, tx *store.Tx, by app.Actor, at time.Time) error {
	if err := tx.ReplacePeople(ctx, s.people); err != nil {
		return err
	}
	for _, key := range standingSettings() {
		set, ok := s.settings[key]
		var err error
		if ok {
			set.Value = append([]byte{}, set.Value...) // an empty one is read as none, and the column takes none
			err = tx.SetSettings(ctx, set.UpdatedAt, set)
		} else {
			err = tx.DeleteSetting(ctx, key)
		}
		if err != nil {
			return err
		}
	}
	profiles, err := tx.ProfileRows(ctx)
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

func (s Standing) keepProfile(ctx context.Context, tx *store.Tx, row store.ProfileRow, by app.Actor, at time.Time) error {
	now, here := s.profiles[row.Handle]
	revoke := !row.Revoked && (!here || now.revoked)
	shorten := now.expires > 0 && (row.ExpiresAt == 0 || row.ExpiresAt > now.expires)
	if !revoke && !shorten {
		return nil
	}
	p, err := tx.ProfileByHandle(ctx, row.Handle)
	if err != nil {
		return err
	}
	revokedAt := time.Time{}
	if p.Revoked = p.Revoked || revoke; revoke {
		if revokedAt = at; here {
			revokedAt = time.UnixMilli(now.revokedAt).UTC()
		}
		event := app.Event{At: at, Actor: by, Action: "profile.revoke", Subject: row.Handle, Detail: "Revoked: it was revoked or deleted in the database that a copy took the place of."}
		if err := tx.Audit(ctx, event); err != nil {
			return err
		}
	}
	if shorten {
		p.ExpiresAt = time.UnixMilli(now.expires).UTC()
	}
	_, err = tx.UpdateProfile(ctx, p, revokedAt, p.UpdatedAt, at)
	return err
}

// EndOpenings ends what a copy of a database has open for people: sessions, invitations and the admin token. Who holds the host makes a new token.
func EndOpenings(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.DeleteAdminSessions(ctx); err != nil {
		return err
	}
	if err := tx.DeleteInvitations(ctx); err != nil {
		return err
	}
	for _, key := range []string{settingToken, settingFinder, settingSpent} {
		if err := tx.DeleteSetting(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
