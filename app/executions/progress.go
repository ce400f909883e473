package executions

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

// addProgress adds start and run time of a local execution. The store learns both at the end.
func (s *Reader) addProgress(x *app.Execution) {
	if x.Status != app.StatusRunning && x.Status != app.StatusAwaitingLLM {
		return
	}
	if run := s.cfg.Runner.Find(x.Handle); run != nil {
		p := run.Progress()
		x.StartedAt, x.RunTime = p.Started.Truncate(time.Millisecond), p.Ran
	}
}

// Phase returns the current phase of an execution that has not ended.
func (s *Reader) Phase(x app.Execution) app.Phase {
	switch run := s.cfg.Runner.Find(x.Handle); {
	case x.Status == app.StatusAwaitingApproval:
		return app.PhaseAwaitingApproval
	case x.Status == app.StatusPending:
		return app.PhaseQueued
	case run != nil:
		return run.Progress().Phase
	case x.Status == app.StatusAwaitingLLM:
		return app.PhaseAwaitingLLM
	}
	return app.PhaseRunning
}

// OutputSoFar returns a local execution's output, redacted as at its end. ok is false if it doesn't
// run here.
func (s *Reader) OutputSoFar(ctx context.Context, x app.Execution) (out app.Output, ok bool, err error) {
	run := s.cfg.Runner.Find(x.Handle)
	if run == nil {
		return out, false, nil
	}
	out, err = run.OutputSoFar(ctx)
	return out, true, err
}
