package content

import (
	"slices"

	"github.com/computclaw/airlock/app/skills"
)

// Version returns the version with a digest: that whose files are kept, else a deleted one.
func (s Skill) Version(digest string) (v SkillVersion, ok bool) {
	for _, one := range s.Versions {
		if one.Digest == digest && (!ok || one.Kept || skills.State(one.State) == skills.Revoked) {
			v, ok = one, true
		}
		if ok && v.Kept {
			break
		}
	}
	return v, ok
}

// Allows reports whether a profile may run it.
func (s Skill) Allows(handle string) bool {
	return slices.ContainsFunc(s.Profiles, func(g SkillGrant) bool { return g.Profile == handle })
}

// Runs reports whether agents can run a version of the skill.
func (s Skill) Runs() bool {
	return s.Enabled && slices.ContainsFunc(s.Versions, func(v SkillVersion) bool {
		return v.Kept && skills.State(v.State) == skills.Approved
	})
}
