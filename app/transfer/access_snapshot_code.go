package transfer

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// codeSnapshot is what may run in a database: skills, and scripts that a person approved.
type codeSnapshot struct {
	skills  map[string]content.Skill // by name
	scripts map[scriptKey]bool       // approved for good
}

type scriptKey struct{ profile, kind, subject string }

// readCodeSnapshot reads the snapshot. A skill that can't be read may not run there.
func readCodeSnapshot(ctx context.Context, tx *store.Tx) (s codeSnapshot, err error) {
	s = codeSnapshot{skills: map[string]content.Skill{}, scripts: map[scriptKey]bool{}}
	rows, err := tx.Skills.Rows(ctx)
	if err != nil {
		return s, err
	}
	for _, row := range rows {
		if skill, _, err := content.OpenSkill(ctx, tx, row); err == nil {
			s.skills[row.Name] = skill
		}
	}
	return s, tx.Approvals.EachInForce(ctx, func(a store.ApprovalRow) error {
		if a.State == string(app.ApprovalApproved) {
			s.scripts[scriptKey{a.ProfileHandle, a.Kind, a.Subject}] = true
		}
		return nil
	})
}

// approvals forgets which scripts the copy approved and the later state doesn't. An approval for one
// execution counts in no copy: it may have been used since.
func (k *keeper) approvals(ctx context.Context) error {
	const all = -1
	list, err := k.tx.Approvals.List(ctx, "", all, app.ApprovalApproved)
	if err != nil {
		return err
	}
	for _, a := range list {
		known := k.now.profiles == nil || k.now.code.scripts[scriptKey{a.ProfileHandle, string(a.Kind), a.Subject}]
		if a.Scope == app.ApproveAlways && known {
			continue
		}
		if err := k.tx.Approvals.Forget(ctx, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// skills takes from the copy's skills what the later state doesn't let run.
func (k *keeper) skills(ctx context.Context) error {
	list, err := k.tx.Skills.List(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		now := k.now.code.skills[s.Name]
		lost := false
		if now.ID == 0 || now.DeletedAt > 0 {
			s.DeletedAt, lost = k.at, true
			err = k.tx.Skills.Forget(ctx, s.Row)
		} else {
			lost = s.Enabled && !now.Enabled
			s.Enabled = s.Enabled && now.Enabled
			var less bool
			less, err = k.restrictSkill(ctx, s, now)
			lost = lost || less
		}
		if err == nil && lost {
			err = k.noteSkill(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restrictSkill revokes versions that are not approved in the later state, and disallows profiles that
// may not run the skill there.
func (k *keeper) restrictSkill(ctx context.Context, s store.Skill, now content.Skill) (less bool, err error) {
	versions, err := k.tx.Skills.Versions(ctx, s.Row)
	if err != nil {
		return false, err
	}
	for _, v := range versions {
		later, known := now.Version(v.Digest)
		known = known && later.Kept
		if v.State == string(skills.Revoked) || known && later.State != string(skills.Revoked) &&
			(later.State == v.State || v.State == string(skills.Quarantined)) {
			continue
		}
		before := v.State
		v.State, v.RevokedBy, v.RevokedAt, v.Reason = string(skills.Revoked), k.by, k.at, later.Reason
		if later.RevokedAt > 0 {
			v.RevokedBy, v.RevokedAt = later.RevokedBy, time.UnixMilli(later.RevokedAt).UTC()
		}
		if err := k.tx.Skills.Decide(ctx, v, before); err != nil {
			return false, err
		}
		less = true
	}
	profiles, err := k.tx.Skills.Profiles(ctx, s.Row)
	for _, handle := range profiles {
		if now.Allows(handle) {
			continue
		}
		if _, err := k.tx.Skills.Disallow(ctx, s.Row, handle); err != nil {
			return false, err
		}
		less = true
	}
	return less, err
}

func (k *keeper) noteSkill(ctx context.Context, s store.Skill) error {
	if err := k.tx.Skills.Update(ctx, s); err != nil {
		return err
	}
	k.said = append(k.said, fmt.Sprintf("The skill %s lost what the copy alone allowed.", s.Name))
	return k.tx.Audit(ctx, app.NewEvent(k.at, k.by, "skill.restrict", s.Name,
		"Restricted: the database that a copy took the place of let less of it run."))
}
