package executions

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/store"
)

const (
	// endWithin bounds the wait for an execution's end. Its box is removed sooner.
	endWithin = time.Minute

	// retryEvery is the pause before a failed store operation is retried.
	retryEvery = time.Second
)

// Cancel ends an execution, and returns it once nothing of it runs. Errors: CodeAlreadyEnded if it
// ended first; CodeStorageBusy if it was queued and its end could not be stored; CodeConflict if it
// was stopped, but its end can't be stored yet.
func (c *Controller) Cancel(ctx context.Context, id string, by app.Actor) (app.Execution, error) {
	x, err := c.reader.ByID(ctx, id)
	if err != nil {
		return app.Execution{}, err
	}
	// The decision stands and is audited even if the caller leaves.
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	event := app.Event{
		At: c.cfg.Now(), Actor: by, Action: "execution.cancel", Subject: x.Handle,
		Detail: "cancelled while " + string(x.Status),
	}
	cause := runner.StopCancelled(by)
	err = c.end(detached, x.Handle, cause)
	if run := c.cfg.Runner.Find(x.Handle); err != nil && run != nil && run.StoppedBy(cause) && detached.Err() != nil {
		c.background.Go(func() { c.auditCancel(context.WithoutCancel(ctx), event) })
		return app.Execution{}, app.E(app.CodeConflict, "the execution is stopped, but its end could not be stored yet",
			"Poll GET /executions/{id} until it has ended. Airlock goes on trying.")
	}
	if err != nil {
		return app.Execution{}, err
	}
	c.auditCancel(detached, event)
	return c.reader.ByID(ctx, id)
}

// auditCancel audits a cancellation. Failures are retried in the background.
func (c *Controller) auditCancel(ctx context.Context, event app.Event) {
	err := c.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Audit(ctx, event) })
	switch {
	case err == nil:
	case app.IsTemporary(err) && c.ctx.Err() == nil:
		c.background.Go(func() {
			_ = sleep.For(c.ctx, retryEvery)
			c.auditCancel(context.WithoutCancel(ctx), event)
		})
	default:
		c.cfg.Log.ErrorContext(ctx, "could not audit a cancellation", "execution", event.Subject, "error", err)
	}
}

// end stops a running or pending execution and waits for its end. CodeAlreadyEnded if it has ended.
func (c *Controller) end(ctx context.Context, handle string, cause *runner.Stop) error {
	run, err := c.endPending(ctx, handle, cause)
	if err != nil || run == nil {
		return err
	}
	run.Stop(cause)
	select {
	case <-run.Done():
	case <-ctx.Done():
		if !run.StoppedBy(cause) { // the script had ended, and its end waits to be checked or stored
			return errAlreadyEnded()
		}
		return context.Cause(ctx)
	}
	if !run.EndedBy(cause) {
		return errAlreadyEnded()
	}
	return nil
}

func errAlreadyEnded() error {
	return app.E(app.CodeAlreadyEnded, "the execution has already ended", "GET /executions/{id} shows how it ended.")
}

// endPending ends an unclaimed execution, or returns a claimed one's run.
func (c *Controller) endPending(ctx context.Context, handle string, cause *runner.Stop) (run *runner.Run, err error) {
	if run := c.cfg.Runner.Find(handle); run != nil { // whatever the store is busy with
		return run, nil
	}
	err = c.cfg.Scheduler.WithoutClaims(ctx, func() error {
		if run = c.cfg.Runner.Find(handle); run != nil {
			return nil
		}
		return c.finishPending(ctx, handle, cause)
	})
	return run, err
}

// finishPending stores the end of an unclaimed execution. The caller prevents claims.
func (c *Controller) finishPending(ctx context.Context, handle string, cause *runner.Stop) error {
	var x store.Execution
	f := cause.EndedElsewhere(c.cfg.Now())
	err := c.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if x, err = tx.Executions.ByHandle(ctx, handle); err != nil {
			return err
		}
		if !x.Status.IsQueued() {
			return errAlreadyEnded()
		}
		_, err = tx.Executions.Finish(ctx, handle, f)
		return err
	})
	if err != nil {
		return err
	}
	c.cfg.Runner.ReportEnd(x.Execution, f)
	c.cfg.Hub.PublishExecutions(x.Handle)
	return nil
}
