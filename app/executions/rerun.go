package executions

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
)

// Rerun submits what a terminal execution was given once more: the same script and inputs byte for
// byte, under its profile as it is now.
//
// Its questions get the recorded answers, each to the very same prompt and model. At another
// question it ends in error, or asks the agent if live is true. Errors: CodeNotFound, CodeConflict
// if it has not ended, those of Submit.
func (s *Submitter) Rerun(
	ctx context.Context, handle string, live bool, by app.Actor, trace string,
) (app.Execution, error) {
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
			"What ran under it can't run again.")
	}
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: run again: %w", err)
	}
	if err := profile.CanExecute(s.cfg.Now()); err != nil {
		return app.Execution{}, err
	}
	source, err := s.cfg.Runner.ReadSource(ctx, handle)
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: run again: %w", err)
	}
	sub := Submission{
		ProfileID: profile.ID, Script: string(source.Script), Inputs: source.Inputs,
		Timeout: min(original.Timeout, s.cfg.TimeoutMax), By: by, Trace: trace,
	}
	if _, _, err := s.precheck(ctx, sub, profile.Handle); err != nil {
		return app.Execution{}, err
	}
	clean, err := s.redactScript(ctx, profile, sub.Script, nil)
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: run again: %w", err)
	}
	in := s.newInsertion(sub, profile.Handle, clean)
	in.row.RerunOf, in.row.Live = original.Handle, live
	x, _, err := s.enqueue(ctx, in) // without a policy: it has recorded answers to read before it is bound
	return x, err
}
