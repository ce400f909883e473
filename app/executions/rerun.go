package executions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/computclaw/airlock/app"
)

// Again holds the changes of a re-run. Zero fields keep the original.
type Again struct {
	Inputs  json.RawMessage
	Files   map[string]string // nil: the same; empty: none
	Timeout *float64          // seconds
	Label   string
	Live    bool // asks the agent what was not asked then
	By      app.Actor
	Trace   string
}

// Rerun resubmits a terminal execution, with the changes in again. Script and other inputs are the
// same bytes; the profile is the current one.
//
// Questions with the same prompt and model get the recorded answers. Another question ends it in
// error, or asks the agent if again is live. Errors: CodeNotFound, CodeConflict if it has not
// ended, those of Submit.
func (s *Submitter) Rerun(ctx context.Context, handle string, again Again) (app.Execution, error) {
	original, err := s.reader.ByHandle(ctx, handle)
	if err != nil {
		return app.Execution{}, err
	}
	if !original.Status.Terminal() {
		return app.Execution{}, app.E(app.CodeConflict, "the execution has not ended yet",
			"Wait for its end with GET /executions/{id}?wait=50, or POST /executions/{id}/cancel; then run it again.")
	}
	profile, err := s.cfg.Profiles.ByHandle(ctx, original.ProfileHandle)
	if app.CodeOf(err) == app.CodeNotFound {
		err = app.E(app.CodeProfileRevoked, "the profile was deleted",
			"Create a profile with POST /profiles and submit the script under it.")
	}
	if err != nil {
		return app.Execution{}, err
	}
	source, err := s.cfg.Runner.ReadSource(ctx, handle)
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: run again: %w", err)
	}
	sub := Submission{
		ProfileID: profile.ID, Skill: original.SkillDigest, Inputs: source.Inputs, Timeout: again.Timeout,
		Label: cmp.Or(again.Label, original.Label), Files: again.Files, By: again.By, Trace: again.Trace,
	}
	if original.Skill == "" {
		sub.Script = string(source.Script)
	}
	if again.Inputs != nil {
		sub.Inputs = again.Inputs
	}
	if again.Files == nil {
		sub.files = source.Files
	}
	if err := sub.Validate(s.cfg.Timeouts); err != nil {
		return app.Execution{}, err
	}
	sub.timeout = cmp.Or(sub.timeout, original.Timeout)
	return s.enqueue(ctx, &insertion{
		submitter: s, submission: sub, profile: profile, rerunOf: original.Handle, live: again.Live,
	})
}
