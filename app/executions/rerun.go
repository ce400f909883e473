package executions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
)

// Again is what may differ in a re-run. Zero fields are as the first time.
type Again struct {
	Inputs  json.RawMessage
	Files   map[string]string // nil: the same; empty: none
	Added   map[string]string // beside the same files, or in the place of those of the same names
	Timeout time.Duration
	Label   string
	Live    bool // asks the agent what was not asked then
	By      app.Actor
	Trace   string
}

// Rerun submits what a terminal execution was given once more: the same script, and but for what
// again changes the same inputs, byte for byte, under its profile as it is now.
//
// Its questions get the recorded answers, each to the very same prompt and model. At another
// question it ends in error, or asks the agent if again is live. Errors: CodeNotFound, CodeConflict
// if it has not ended, those of Submit.
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
		return app.Execution{}, app.E(app.CodeProfileRevoked, "the profile was deleted",
			"Create a profile with POST /profiles and submit the script under it.")
	}
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: run again: %w", err)
	}
	if err := profile.CanExecute(s.cfg.Now()); err != nil {
		return app.Execution{}, err
	}
	if err := approvals.CheckScripts(profile.MayRun); err != nil && original.Skill == "" {
		return app.Execution{}, err
	}
	source, err := s.cfg.Runner.ReadSource(ctx, handle)
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: run again: %w", err)
	}
	sub := Submission{
		ProfileID: profile.ID, Script: string(source.Script), Skill: original.SkillDigest, Inputs: source.Inputs,
		Timeout: cmp.Or(again.Timeout, original.Timeout), Label: cmp.Or(again.Label, original.Label),
		By: again.By, Trace: again.Trace,
	}
	if again.Inputs != nil {
		sub.Inputs = again.Inputs
	}
	if err := s.filesAgain(ctx, profile.Handle, &sub, again, source.Files); err != nil {
		return app.Execution{}, err
	}
	if err := s.resolveSkill(ctx, profile, &sub); err != nil {
		return app.Execution{}, err
	}
	if err := s.check(&sub); err != nil {
		return app.Execution{}, err
	}
	if _, _, err := s.precheck(ctx, sub, profile.Handle); err != nil {
		return app.Execution{}, err
	}
	shown, err := s.redactSubmission(ctx, profile, sub, nil)
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: run again: %w", err)
	}
	in := s.newInsertion(sub, profile.Handle, shown)
	in.row.RerunOf, in.row.Live = original.Handle, again.Live
	x, _, err := s.enqueue(ctx, in) // without a policy: it has recorded answers to read before it is bound
	return x, err
}
