package transfer

import (
	"context"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// accessSnapshot is who may come in, what may run and what it may do in a database.
// An older copy that replaces the database must not give back what was taken away since:
// a password that leaked, a person who left, a profile that was revoked, a host that it lost.
type accessSnapshot struct {
	people      []store.PersonRow
	settings    map[string]store.Setting
	profiles    map[string]profileState   // by handle
	credentials map[string]app.Credential // by id
	belonged    map[string][]app.Host     // by credential: where any value of it that is still known belonged
	code        codeSnapshot
}

type profileState struct {
	revoked            bool
	revokedAt, expires int64 // unix milliseconds
	mayRun             app.MayRun
	policy             app.Policy // zero while it is not locked
}

// SettingBackup is the sealed setting of app/backups.
const SettingBackup = "backup"

// snapshotSettings returns the settings that a snapshot keeps, whether they are set or not.
func snapshotSettings() []string { return slices.Concat(auth.SettingKeys(), instance.SwitchKeys()) }

// readAccessSnapshot reads the snapshot of a database. A policy or credential that can't be read
// grants nothing there.
func readAccessSnapshot(ctx context.Context, tx *store.Tx) (s accessSnapshot, err error) {
	if err := tx.People.Each(ctx,
		func(p store.PersonRow) error { s.people = append(s.people, p); return nil }); err != nil {
		return s, err
	}
	if s.settings, err = tx.Settings.GetAll(ctx, append(snapshotSettings(), SettingBackup)...); err != nil {
		return s, err
	}
	profiles, err := tx.Profiles.Rows(ctx)
	if err != nil {
		return s, err
	}
	s.profiles = make(map[string]profileState, len(profiles))
	for _, p := range profiles {
		state := profileState{revoked: p.Revoked, revokedAt: p.RevokedAt, expires: p.ExpiresAt,
			mayRun: app.MayRun(p.MayRun)}
		if p.Locked {
			if policy, err := tx.Policies.Version(ctx, p.Handle, p.Policy); err == nil {
				state.policy = policy
			}
		}
		s.profiles[p.Handle] = state
	}
	s.credentials = map[string]app.Credential{}
	if credentials, err := tx.Credentials.List(ctx); err == nil {
		for _, c := range credentials {
			s.credentials[c.ID] = c
		}
	}
	s.belonged = map[string][]app.Host{}
	if belongings, err := tx.Values.Belongings(ctx); err == nil {
		for _, b := range belongings {
			s.belonged[b.CredentialID] = append(s.belonged[b.CredentialID], b.Hosts...)
		}
	}
	s.code, err = readCodeSnapshot(ctx, tx)
	return s, err
}

// keep applies the snapshot to another database: people with their passwords, the admin token,
// retirement and pause become the snapshot's. Profiles that it has revoked, or doesn't have, are
// revoked; none lives longer, and no grant reaches further, than in the snapshot; nothing is approved
// that is not approved there. It returns a sentence for each profile, credential and skill that lost
// something.
//
// The zero accessSnapshot only takes from policies what their profiles' pages don't show.
func (s accessSnapshot) keep(
	ctx context.Context, tx *store.Tx, ring *secrets.Keyring, by app.Actor, at time.Time,
) (said []string, err error) {
	k := &keeper{now: s, tx: tx, ring: ring, by: by, at: at, unfit: map[string]struct{}{}, moved: map[string]struct{}{}}
	if s.profiles != nil {
		if err := k.openings(ctx); err != nil {
			return nil, err
		}
		if err := k.credentials(ctx); err != nil {
			return nil, err
		}
		if err := k.skills(ctx); err != nil {
			return nil, err
		}
	}
	if err := k.approvals(ctx); err != nil {
		return nil, err
	}
	profiles, err := tx.Profiles.Rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range profiles {
		if err := k.profile(ctx, p.Handle); err != nil {
			return nil, err
		}
	}
	return k.said, nil
}

// endUnfinished ends the executions that a copy of a database has unfinished. They may have run since,
// and what they may do may have been taken back.
func endUnfinished(ctx context.Context, tx *store.Tx, at time.Time) error {
	list, err := tx.Executions.Unfinished(ctx, "")
	if err != nil {
		return err
	}
	for _, x := range list {
		end := store.Finish{Status: app.StatusError, StartedAt: x.StartedAt, At: at,
			Error: redact.Fixed("interrupted: the database was restored from a copy in which this had not ended, " +
				"so it may have run since; submit it again if it is safe to run twice")}
		if _, err := tx.Executions.Finish(ctx, x.Handle, end); err != nil {
			return err
		}
	}
	return nil
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
