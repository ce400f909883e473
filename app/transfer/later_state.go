package transfer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// laterState is what an older copy must not undo in the database it replaces. It holds who may come
// in, what was revoked or deleted, and which skills were switched off or disallowed. Everything
// else is as in the copy.
type laterState struct {
	people      []store.PersonRow
	settings    map[string]store.Setting
	profiles    map[string]bool          // by handle: true if not revoked
	credentials map[string]bool          // by id
	skills      map[string]content.Skill // by name, without deleted ones
	approved    map[string]bool          // ids of approvals that count for good
}

// SettingBackup is the sealed setting of app/backups.
const SettingBackup = "backup"

// settingsThatStay returns the settings that a restore keeps, whether they are set or not.
func settingsThatStay() []string {
	return slices.Concat(auth.SettingKeys(), instance.SwitchKeys())
}

// readLaterState reads the state of the database that is replaced.
func readLaterState(ctx context.Context, tx *store.Tx) (*laterState, error) {
	s := &laterState{profiles: map[string]bool{}, credentials: map[string]bool{}, skills: map[string]content.Skill{},
		approved: map[string]bool{}}
	err := tx.People.Each(ctx, func(p store.PersonRow) error { s.people = append(s.people, p); return nil })
	if err != nil {
		return nil, err
	}
	if s.settings, err = tx.Settings.GetAll(ctx, append(settingsThatStay(), SettingBackup)...); err != nil {
		return nil, err
	}
	profiles, err := tx.Profiles.Rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range profiles {
		s.profiles[p.Handle] = !p.Revoked
	}
	credentials, err := tx.Credentials.Rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range credentials {
		s.credentials[c.ID] = true
	}
	rows, err := tx.Skills.Rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.DeletedAt > 0 {
			continue
		}
		if skill, _, err := content.OpenSkill(ctx, tx, row); err == nil { // one that can't be read counts as deleted
			s.skills[row.Name] = skill
		}
	}
	return s, tx.Approvals.EachInForce(ctx, func(a store.ApprovalRow) error {
		s.approved[a.ID] = a.State == string(app.ApprovalApproved)
		return nil
	})
}

// keeper applies a later state to a copy.
type keeper struct {
	*laterState
	tx   *store.Tx
	ring *secrets.Keyring
	by   app.Actor
	at   time.Time
	said []string
}

// keep makes the later state's people and settings those of the copy, and takes away what was
// revoked, deleted, switched off or disallowed there. It returns a sentence for each thing that
// was.
func (s *laterState) keep(
	ctx context.Context, tx *store.Tx, ring *secrets.Keyring, by app.Actor, at time.Time,
) ([]string, error) {
	k := &keeper{laterState: s, tx: tx, ring: ring, by: by, at: at}
	for _, step := range []func(context.Context) error{k.keepPeople, k.keepSettings, k.revokeProfiles,
		k.deleteCredentials, k.revokeSkills} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return k.said, nil
}

func (k *keeper) keepPeople(ctx context.Context) error { return k.tx.People.Replace(ctx, k.people) }

// keepSettings keeps the target and the passphrase of backups too: the copy's passphrase may be the
// one that leaked. If the instance key can't open them, backups are off.
func (k *keeper) keepSettings(ctx context.Context) error {
	for _, key := range settingsThatStay() {
		if err := k.keepSetting(ctx, key, k.settings[key]); err != nil {
			return err
		}
	}
	backup, ok := k.settings[SettingBackup]
	if !ok {
		return k.tx.Settings.Delete(ctx, SettingBackup)
	}
	plain, err := k.ring.Open(secrets.Settings, SettingBackup, backup.Value)
	if err != nil {
		k.said = append(k.said, "Backups are off: another instance key sealed where they go. Set them up again.")
		return k.tx.Settings.Delete(ctx, SettingBackup)
	}
	backup.Value = k.ring.Seal(secrets.Settings, SettingBackup, plain)
	return k.tx.Settings.Set(ctx, backup.UpdatedAt, backup)
}

func (k *keeper) keepSetting(ctx context.Context, key string, set store.Setting) error {
	if set.Key == "" {
		return k.tx.Settings.Delete(ctx, key)
	}
	set.Value = append([]byte{}, set.Value...) // an empty value is read as nil, which the column refuses
	return k.tx.Settings.Set(ctx, set.UpdatedAt, set)
}

func (k *keeper) revokeProfiles(ctx context.Context) error {
	rows, err := k.tx.Profiles.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if k.profiles[row.Handle] || row.Revoked {
			continue
		}
		p, err := k.tx.Profiles.ByHandle(ctx, row.Handle)
		if err != nil {
			return err
		}
		p.Revoked = true
		if _, err := k.tx.Profiles.Update(ctx, p, k.at, p.UpdatedAt, k.at); err != nil {
			return err
		}
		if err := k.note(ctx, "profile.revoke", "profile", row.Handle, "revoked"); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) deleteCredentials(ctx context.Context) error {
	rows, err := k.tx.Credentials.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if k.credentials[row.ID] {
			continue
		}
		if err := k.tx.Credentials.TouchProfiles(ctx, row.ID, k.at); err != nil {
			return err
		}
		if err := k.tx.Credentials.Delete(ctx, row.ID); err != nil {
			return err
		}
		if err := k.note(ctx, "credential.delete", "credential", row.Name, "deleted"); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) revokeSkills(ctx context.Context) error {
	list, err := k.tx.Skills.List(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if later, known := k.skills[s.Name]; known {
			if err = k.revokeVersions(ctx, s, later); err == nil {
				err = k.switchOffSkill(ctx, s, later)
			}
		} else {
			err = k.deleteSkill(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) deleteSkill(ctx context.Context, s store.Skill) error {
	if err := k.tx.Skills.Forget(ctx, s.Row); err != nil {
		return err
	}
	s.DeletedAt = k.at
	if err := k.tx.Skills.Update(ctx, s); err != nil {
		return err
	}
	return k.note(ctx, "skill.delete", "skill", s.Name, "deleted")
}

// revokeVersions revokes the versions of a skill that are revoked or gone in the later state.
func (k *keeper) revokeVersions(ctx context.Context, s store.Skill, later content.Skill) error {
	versions, err := k.tx.Skills.Versions(ctx, s.Row)
	if err != nil {
		return err
	}
	for _, v := range versions {
		now, known := later.Version(v.Digest)
		if v.State == string(skills.Revoked) || known && now.Kept && now.State != string(skills.Revoked) {
			continue
		}
		before := v.State
		v.State, v.RevokedBy, v.RevokedAt, v.Reason = string(skills.Revoked), k.by, k.at, now.Reason
		if err := k.tx.Skills.Decide(ctx, v, before); err != nil {
			return err
		}
		name := fmt.Sprintf("%s@%d", s.Name, v.Number)
		if err := k.note(ctx, "skill.revoke", "version", name, "revoked"); err != nil {
			return err
		}
	}
	return nil
}

// switchOffSkill switches a skill off, and disallows it to profiles, where the later state does.
func (k *keeper) switchOffSkill(ctx context.Context, s store.Skill, later content.Skill) error {
	if s.Enabled && !later.Enabled {
		s.Enabled = false
		if err := k.tx.Skills.Update(ctx, s); err != nil {
			return err
		}
		if err := k.note(ctx, "skill.disable", "skill", s.Name, "switched off"); err != nil {
			return err
		}
	}
	allowed, err := k.tx.Skills.Profiles(ctx, s.Row)
	if err != nil {
		return err
	}
	for _, handle := range allowed {
		if later.Allows(handle) {
			continue
		}
		if _, err := k.tx.Skills.Disallow(ctx, s.Row, handle); err != nil {
			return err
		}
		if err := k.note(ctx, "skill.disallow", "skill", s.Name, "not allowed to the profile "+handle); err != nil {
			return err
		}
	}
	return nil
}

// note records what was taken away from something of the copy, and says it.
func (k *keeper) note(ctx context.Context, action, kind, name, what string) error {
	k.said = append(k.said, fmt.Sprintf("The %s %s is %s, as in the database that was replaced.", kind, name, what))
	return k.tx.Audit(ctx, app.NewEvent(k.at, k.by, action, name,
		"It was "+what+" in the database that a copy took the place of."))
}

// forgetApprovals forgets which scripts the copy approved, unless later has the approval too. An
// approval for one execution counts in no copy: it may have been used since.
func forgetApprovals(ctx context.Context, tx *store.Tx, later *laterState) error {
	const all = -1
	list, err := tx.Approvals.List(ctx, "", all, app.ApprovalApproved)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.Scope == app.ApproveAlways && (later == nil || later.approved[a.ID]) {
			continue
		}
		if err := tx.Approvals.Forget(ctx, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// endUnfinished ends the executions that a copy of a database has unfinished. They may have run
// since, and what they may do may have been taken back.
func endUnfinished(ctx context.Context, tx *store.Tx, at time.Time) error {
	list, err := tx.Executions.ListUnfinished(ctx, "")
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
