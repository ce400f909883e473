package skills

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
)

// Resolve returns the version of a reference from a profile's agent. NAME is the newest approved
// version, NAME@3 a number, NAME@1.2.0 the newest approved one with that label; it may be a digest.
// Errors: CodeSkillNotFound for a missing one, or one not for this profile; CodeSkillNotApproved;
// CodeSkillRevoked; CodeSkillDisabled.
func (s *Service) Resolve(ctx context.Context, profileHandle, ref string) (Version, error) {
	v, err := s.resolve(ctx, profileHandle, ref)
	if err != nil {
		return Version{}, err
	}
	return version(v)
}

func (s *Service) resolve(ctx context.Context, profileHandle, ref string) (v store.SkillVersion, err error) {
	var candidates []store.SkillVersion
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		candidates, err = findVersions(ctx, tx, profileHandle, ref)
		return err
	})
	if err != nil {
		return v, err
	}
	i := slices.IndexFunc(candidates, func(v store.SkillVersion) bool { return State(v.State) == Approved })
	if i < 0 {
		return v, errNotApproved(ref, candidates)
	}
	if !candidates[i].Skill.Enabled {
		return v, aboutSkill(app.E(app.CodeSkillDisabled, "the skill "+candidates[i].Skill.Name+" is switched off",
			"Ask the person who runs Airlock to switch it on."))
	}
	return candidates[i], nil
}

// findVersions returns the versions that a reference means, newest first. There is at least one.
func findVersions(ctx context.Context, tx *store.Tx, profileHandle, ref string) ([]store.SkillVersion, error) {
	name, which, _ := strings.Cut(ref, "@")
	var list []store.SkillVersion
	if strings.HasPrefix(ref, "sha256:") {
		v, err := tx.Skills.ByDigest(ctx, ref)
		if err != nil {
			return nil, notFound(err, ref)
		}
		list = []store.SkillVersion{v}
	} else {
		skill, err := tx.Skills.ByName(ctx, name)
		if err != nil {
			return nil, notFound(err, ref)
		}
		if list, err = tx.Skills.Versions(ctx, skill.Row); err != nil {
			return nil, err
		}
	}
	list = slices.DeleteFunc(list, func(v store.SkillVersion) bool { return v.Blob == 0 })
	if which != "" {
		list = selectVersions(list, which)
	}
	if len(list) == 0 {
		return nil, errNotFound(ref)
	}
	allowed, err := tx.Skills.ListAllowed(ctx, profileHandle)
	if err == nil && !slices.Contains(allowed, list[0].Skill.Row) {
		return nil, errNotFound(ref)
	}
	return list, err
}

func selectVersions(list []store.SkillVersion, which string) (found []store.SkillVersion) {
	number, err := strconv.Atoi(which)
	for _, v := range list {
		if err == nil && v.Number == number {
			return []store.SkillVersion{v}
		}
		if read, err := version(v); err == nil && read.Label == which {
			found = append(found, v)
		}
	}
	return found
}

// Open reads the files of a version, and checks them against its digest. Errors: CodeSkillNotFound.
func (s *Service) Open(ctx context.Context, digest string) (*bundle.Bundle, error) {
	var v store.SkillVersion
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		v, err = tx.Skills.ByDigest(ctx, digest)
		return err
	})
	if err != nil {
		return nil, notFound(err, digest)
	}
	return s.open(ctx, v)
}

func (s *Service) open(ctx context.Context, v store.SkillVersion) (*bundle.Bundle, error) {
	content, err := s.cfg.Files.Open(ctx, v.Blob)
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }()
	b, err := bundle.Unpack(content, v.Digest)
	if err != nil {
		return nil, fmt.Errorf("skills: %s: %w", subject(v), err)
	}
	return &b, nil
}

func notFound(err error, ref string) error {
	if app.CodeOf(err) == app.CodeNotFound {
		return errNotFound(ref)
	}
	return err
}

// errNotFound is the same for skills of other profiles, so that nobody learns of those.
func errNotFound(ref string) error {
	return aboutSkill(app.E(app.CodeSkillNotFound, fmt.Sprintf("there is no skill %q for this profile", app.Clip(ref, 99)),
		"GET /skills lists those that it may run."))
}

// errNotApproved says why none of the versions may run.
func errNotApproved(ref string, list []store.SkillVersion) error {
	shown := app.VisibleText(app.Clip(ref, 150))
	for _, v := range list {
		if State(v.State) == Quarantined {
			return aboutSkill(app.E(app.CodeSkillNotApproved, fmt.Sprintf("the skill %s waits for review", shown),
				"Ask the person who runs Airlock to approve it; next_step of GET /skills/{name} says where."))
		}
	}
	message := fmt.Sprintf("the skill %s was revoked", shown)
	if reason := list[0].Reason; reason != "" {
		message += ": " + app.Clip(reason, 300)
	}
	return aboutSkill(app.E(app.CodeSkillRevoked, message, "Use another version, or upload a mended one for review."))
}

func aboutSkill(e *app.Error) error {
	e.Field = "skill"
	return e
}
