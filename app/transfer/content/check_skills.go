package content

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
)

var (
	skillName   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	digestShape = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// checkSkills judges the skills and notes which files must follow.
func (in *File) checkSkills() error {
	names := map[string]bool{}
	for _, s := range in.Skills {
		if names[s.Name] {
			return Contradiction("skill "+app.Clip(s.Name, 64), "is there twice", nil)
		}
		names[s.Name] = true
		if err := in.checkSkill(s); err != nil {
			return Contradiction("skill "+app.Clip(s.Name, 64), "is not possible", err)
		}
	}
	return nil
}

func (in *File) checkSkill(s Skill) error {
	if len(s.Name) > 64 || !skillName.MatchString(s.Name) || s.Owner != "" && !handleShape.MatchString(s.Owner) {
		return fmt.Errorf("its name or owner is malformed")
	}
	if err := checkBounds(s); err != nil {
		return err
	}
	last := 0
	for _, v := range s.Versions {
		if v.Number <= last || v.Number > MaxCount {
			return fmt.Errorf("its versions are not in order")
		}
		last = v.Number
		if err := checkVersion(v); err != nil {
			return fmt.Errorf("version %d: %w", v.Number, err)
		}
		if !v.Kept {
			continue
		}
		if _, twice := in.awaited[v.Digest]; twice || s.DeletedAt > 0 {
			return fmt.Errorf("version %d is there twice, or was deleted", v.Number)
		}
		in.awaited[v.Digest] = s.Name
	}
	for _, g := range s.Profiles {
		known := slices.ContainsFunc(in.Profiles, func(p Profile) bool { return p.Handle == g.Profile })
		if err := checkActor(g.AllowedBy); err != nil || !known || g.AllowedAt < 0 || g.AllowedAt > MaxMoment {
			return fmt.Errorf("it names a profile that is not in the file, or nobody who allowed it")
		}
	}
	return nil
}

func checkVersion(v SkillVersion) error {
	switch skills.State(v.State) {
	case skills.Quarantined, skills.Approved, skills.Revoked:
	default:
		return fmt.Errorf("its state is not known")
	}
	if !digestShape.MatchString(v.Digest) || v.Uploader != "" && !handleShape.MatchString(v.Uploader) ||
		len(v.Reason) > 4*app.MaxReason {
		return fmt.Errorf("its digest, uploader or reason is malformed")
	}
	for _, by := range []app.Actor{v.UploadedBy, v.ApprovedBy, v.RevokedBy} {
		if err := checkActor(by); err != nil {
			return err
		}
	}
	return checkBounds(v)
}
