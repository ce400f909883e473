package skills

import (
	"context"
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
)

// Approve lets agents run a version. People only. digest is the one that the person saw: it covers
// the files and the keys and hosts that they ask for. Errors: CodeNotFound, CodeConflict for
// another digest.
func (s *Service) Approve(ctx context.Context, by app.Actor, name string, number int, digest string) (Version, error) {
	return s.decide(ctx, by, name, number, func(v *store.SkillVersion) (app.Event, error) {
		if v.Digest != digest {
			return app.Event{}, app.E(app.CodeConflict, "these are not the files that you looked at",
				"Look at the version again, then approve it.")
		}
		if State(v.State) == Approved {
			return app.Event{}, nil
		}
		read, err := version(*v)
		if err != nil {
			return app.Event{}, err
		}
		v.State, v.ApprovedBy, v.ApprovedAt, v.Reason = string(Approved), by, s.cfg.Now(), ""
		return app.NewEvent(s.cfg.Now(), by, "skill.approve", subject(*v),
			fmt.Sprintf("Approved %s. %s", v.Digest, wordRequests(read.Manifest))), nil
	})
}

// wordRequests says which keys and hosts a manifest asks for.
func wordRequests(m bundle.Manifest) string {
	keys, hosts := "no keys", "no hosts"
	if len(m.Keys) > 0 {
		keys = "the keys " + strings.Join(m.Keys, ", ")
	}
	if len(m.Hosts) > 0 {
		list := make([]string, len(m.Hosts))
		for i, h := range m.Hosts {
			list[i] = h.String()
		}
		hosts = "the hosts " + strings.Join(list, ", ")
	}
	return "It asks for " + keys + " and " + hosts + "."
}

// Revoke ends the use of a version, or rejects one in review. Running executions continue. People
// only. Agents read the reason, which may be empty. Errors: CodeNotFound, CodeInvalidField.
func (s *Service) Revoke(ctx context.Context, by app.Actor, name string, number int, reason string) (Version, error) {
	reason = strings.TrimSpace(reason)
	if err := app.CheckText("reason", reason, app.MaxReason); err != nil {
		return Version{}, err
	}
	return s.decide(ctx, by, name, number, func(v *store.SkillVersion) (app.Event, error) {
		action, detail := "skill.revoke", "Revoked."
		switch State(v.State) {
		case Revoked:
			return app.Event{}, nil
		case Quarantined:
			action, detail = "skill.reject", "Rejected."
		}
		if reason != "" {
			detail += " Reason: " + reason
		}
		v.State, v.RevokedBy, v.RevokedAt, v.Reason = string(Revoked), by, s.cfg.Now(), reason
		return app.NewEvent(s.cfg.Now(), by, action, subject(*v), detail), nil
	})
}

// decide changes people's decision on a version. change returns the audit event; one without an
// action changes nothing.
func (s *Service) decide(ctx context.Context, by app.Actor, name string, number int,
	change func(v *store.SkillVersion) (app.Event, error)) (Version, error) {
	if err := by.PeopleOnly(); err != nil {
		return Version{}, err
	}
	var v store.SkillVersion
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if v, err = keptVersion(ctx, tx, name, number); err != nil {
			return err
		}
		before := v.State
		event, err := change(&v)
		if err != nil || event.Action == "" {
			return err
		}
		if err := tx.Skills.Decide(ctx, v, before); err != nil {
			return err
		}
		return tx.Audit(ctx, event)
	})
	if err != nil {
		return Version{}, err
	}
	s.cfg.Hub.Publish(live.Skills)
	return version(v)
}

func keptVersion(ctx context.Context, tx *store.Tx, name string, number int) (store.SkillVersion, error) {
	skill, err := findSkill(ctx, tx, name)
	if err != nil {
		return store.SkillVersion{}, err
	}
	list, err := tx.Skills.Versions(ctx, skill.Row)
	for _, v := range list {
		if v.Number == number && v.Blob != 0 {
			return v, err
		}
	}
	if err == nil {
		err = errNoSuchSkill()
	}
	return store.SkillVersion{}, err
}

func findSkill(ctx context.Context, tx *store.Tx, name string) (store.Skill, error) {
	skill, err := tx.Skills.ByName(ctx, name)
	if err == nil && !skill.DeletedAt.IsZero() {
		err = errNoSuchSkill()
	}
	return skill, err
}

func errNoSuchSkill() error {
	return app.E(app.CodeNotFound, "there is no such skill", "Check the name; it may have been deleted.")
}

// SetEnabled switches a skill on or off. Running executions continue. People only. Errors:
// CodeNotFound.
func (s *Service) SetEnabled(ctx context.Context, by app.Actor, name string, enabled bool) error {
	return s.change(ctx, by, name, func(tx *store.Tx, skill *store.Skill) (action, detail string, err error) {
		if skill.Enabled == enabled {
			return "", "", nil
		}
		skill.Enabled = enabled
		if enabled {
			return "skill.enable", "Switched on.", nil
		}
		return "skill.disable", "Switched off.", nil
	})
}

// Delete removes a skill with the files of all its versions. The record of uploads, decisions and
// executions stays; the name is free again. People only. Errors: CodeNotFound.
func (s *Service) Delete(ctx context.Context, by app.Actor, name string) error {
	return s.change(ctx, by, name, func(tx *store.Tx, skill *store.Skill) (action, detail string, err error) {
		skill.DeletedAt = s.cfg.Now()
		return "skill.delete", "Deleted with all versions.", tx.Skills.Forget(ctx, skill.Row)
	})
}

// Allow lets a profile's agents run a skill. People only. Errors: CodeNotFound for the skill or the
// profile.
func (s *Service) Allow(ctx context.Context, by app.Actor, name, profileHandle string) error {
	return s.change(ctx, by, name, func(tx *store.Tx, skill *store.Skill) (action, detail string, err error) {
		changed, err := tx.Skills.Allow(ctx, skill.Row, profileHandle, by, s.cfg.Now())
		if err != nil || !changed {
			return "", "", err
		}
		return "skill.allow", "The profile " + profileHandle + " may run it.", nil
	})
}

// Disallow undoes Allow. What runs is not stopped. People only. Errors: CodeNotFound for the skill.
func (s *Service) Disallow(ctx context.Context, by app.Actor, name, profileHandle string) error {
	return s.change(ctx, by, name, func(tx *store.Tx, skill *store.Skill) (action, detail string, err error) {
		changed, err := tx.Skills.Disallow(ctx, skill.Row, profileHandle)
		if err != nil || !changed {
			return "", "", err
		}
		return "skill.disallow", "The profile " + profileHandle + " may not run it any more.", nil
	})
}

// change changes a skill as a whole. An empty action changes nothing.
func (s *Service) change(ctx context.Context, by app.Actor, name string,
	apply func(tx *store.Tx, skill *store.Skill) (action, detail string, err error)) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	changed := false
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		skill, err := findSkill(ctx, tx, name)
		if err != nil {
			return err
		}
		action, detail, err := apply(tx, &skill)
		if err != nil || action == "" {
			return err
		}
		if err := tx.Skills.Update(ctx, skill); err != nil {
			return err
		}
		changed = true
		return tx.Audit(ctx, app.NewEvent(s.cfg.Now(), by, action, name, detail))
	})
	if changed && err == nil {
		s.cfg.Hub.Publish(live.Skills)
	}
	return err
}
