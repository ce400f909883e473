package executions

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/pause"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

const (
	// endWithin bounds how long the end of an execution is waited for; its box is removed in less.
	endWithin = time.Minute

	// auditRetry is how long a cancellation waits that could not be audited.
	auditRetry = time.Second
)

// Cancel ends an execution, and returns it when nothing of it runs any more. Errors:
// CodeAlreadyEnded if it was terminal, or ended by itself first; CodeStorageBusy if it was queued
// and its end could not be stored; CodeConflict if it is stopped, and its end can't be stored yet.
func (s *Service) Cancel(ctx context.Context, id string, by app.Actor) (app.Execution, error) {
	x, err := s.Execution(ctx, id)
	if err != nil {
		return app.Execution{}, err
	}
	// The decision stands and is audited even if the caller doesn't wait to see it done.
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	event := app.Event{
		At: s.cfg.Now(), Actor: by, Action: "execution.cancel", Subject: x.Handle,
		Detail: "cancelled while " + string(x.Status),
	}
	cause := runner.StopCancelled(by)
	err = s.end(detached, x.Handle, cause)
	if run := s.cfg.Runner.Find(x.Handle); err != nil && run != nil && run.StoppedBy(cause) && detached.Err() != nil {
		s.background.Go(func() { s.auditCancel(context.WithoutCancel(ctx), event) })
		return app.Execution{}, app.E(app.CodeConflict, "the execution is stopped, but its end could not be stored yet",
			"Poll GET /executions/{id} until it has ended. Airlock goes on trying.")
	}
	if err != nil {
		return app.Execution{}, err
	}
	s.auditCancel(detached, event)
	return s.Execution(ctx, id)
}

// auditCancel audits a cancellation. If that fails for now, it goes on trying in the background.
func (s *Service) auditCancel(ctx context.Context, event app.Event) {
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Audit(ctx, event) })
	switch {
	case err == nil:
	case app.IsTemporary(err) && s.ctx.Err() == nil:
		s.background.Go(func() {
			_ = pause.For(s.ctx, auditRetry)
			s.auditCancel(context.WithoutCancel(ctx), event)
		})
	default:
		s.cfg.Log.ErrorContext(ctx, "a cancellation could not be audited", "execution", event.Subject, "error", err)
	}
}

// end stops the execution, whether it runs or is pending, and waits for its end. CodeAlreadyEnded
// if it has ended.
func (s *Service) end(ctx context.Context, handle string, cause *runner.Stop) error {
	run, err := s.endPending(ctx, handle, cause)
	if err != nil || run == nil {
		return err
	}
	run.Stop(cause)
	select {
	case <-run.Done():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if !run.EndedBy(cause) {
		return alreadyEnded()
	}
	return nil
}

func alreadyEnded() error {
	return app.E(app.CodeAlreadyEnded, "the execution has already ended", "GET /executions/{id} shows how it ended.")
}

// endPending ends a pending execution, or returns its run if it has been claimed.
func (s *Service) endPending(ctx context.Context, handle string, cause *runner.Stop) (run *runner.Run, err error) {
	if run := s.cfg.Runner.Find(handle); run != nil { // whatever the store is busy with
		return run, nil
	}
	err = s.cfg.Scheduler.WithoutClaims(ctx, func() error {
		if run = s.cfg.Runner.Find(handle); run != nil {
			return nil
		}
		return s.finishPending(ctx, handle, cause)
	})
	return run, err
}

// finishPending stores the end of a pending execution. Nothing may be claimed meanwhile.
func (s *Service) finishPending(ctx context.Context, handle string, cause *runner.Stop) error {
	var x store.Execution
	f := cause.Unstarted(s.cfg.Now())
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if x, err = tx.Executions.ByHandle(ctx, handle); err != nil {
			return err
		}
		if x.Status != app.StatusPending {
			return alreadyEnded()
		}
		_, err = tx.Executions.Finish(ctx, handle, f)
		return err
	})
	if err != nil {
		return err
	}
	s.cfg.Runner.ReportUnstarted(x.Execution, f)
	s.publish(x.Execution)
	return nil
}

// KillProfile cancels everything that the profile runs or has queued, and returns when nothing of
// it runs any more. The reason becomes part of the executions' errors.
func (s *Service) KillProfile(ctx context.Context, handle, reason string) error {
	// A browser that goes away must not save a script.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	var unfinished []store.Execution
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		unfinished, err = tx.Executions.Unfinished(ctx, handle)
		return err
	})
	if err != nil {
		return fmt.Errorf("executions: end a profile's executions: %w", err)
	}
	var runs []*runner.Run
	var failed error
	cause := runner.StopProfile(reason)
	for _, x := range unfinished { // first stop all, then wait for each
		run, err := s.endPending(ctx, x.Handle, cause)
		switch {
		case run != nil:
			run.Stop(cause)
			runs = append(runs, run)
		case err != nil && app.CodeOf(err) != app.CodeAlreadyEnded:
			failed = fmt.Errorf("executions: end a profile's executions: %w", err) // the others are stopped nevertheless
		}
	}
	for _, run := range runs {
		select {
		case <-run.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return failed
}
