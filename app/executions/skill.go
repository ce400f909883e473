package executions

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
)

// runnable is the submitted version of a skill; zero is a script.
type runnable struct{ skills.Version }

// name is name@number, "" for a script.
func (r runnable) name() string {
	if r.Digest == "" {
		return ""
	}
	return fmt.Sprintf("%s@%d", r.Version.Name, r.Number)
}

// resolveSkill finds a submission's skill version, and checks its inputs and packages. The script
// then only names the version.
func (s *Submitter) resolveSkill(ctx context.Context, profile app.Profile, sub *Submission) error {
	if _, taken := sub.Files[skills.PackedName]; taken {
		return app.Invalid("files", "the name "+skills.PackedName+" is taken", "Choose another name.")
	}
	v, err := s.cfg.Skills.Resolve(ctx, profile.Handle, sub.Skill)
	if err != nil {
		return err
	}
	if err := v.CheckInputs(sub.Inputs); err != nil {
		return err
	}
	if sub.placement, err = s.cfg.Skills.Place(v, profile.Placement); err != nil {
		return err
	}
	if err := s.cfg.Skills.CheckPackages(v, profile.Placement); err != nil {
		return err
	}
	sub.version = runnable{v}
	sub.Script = "# Runs the skill " + sub.version.name() + "."
	return nil
}
