package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// endWithin bounds how long the end of an execution is waited for; its box is cleared away in less.
const endWithin = time.Minute

// Cancel ends an execution; it returns when nothing of it runs any more. CodeAlreadyEnded if it was terminal, or ended by itself first. CodeStorageBusy if it was queued and that could not be stored.
func (e *Engine) Cancel(ctx context.Context, id string, by app.Actor) (app.Execution, error) {
	x, err := e.Execution(ctx, id)
	if err != nil {
		return app.Execution{}, err
	}
	// The decision stands and is recorded even if whoever made it doesn't wait to see it done.
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	event := app.Event{At: e.now(), Actor: by, Action: "execution.cancel", Subject: x.Handle, Detail: "cancelled while " + string(x.Status)}
	cause := stopCancelled(by)
	err = e.end(detached, x.Handle, cause)
	if r := e.running(x.Handle); err != nil && r != nil && stopOf(r.ctx) == cause && detached.Err() != nil { // it is stopped, and its end can't be stored yet
		e.runs.Go(func() { e.noteCancelled(context.WithoutCancel(ctx), event) })
		return app.Execution{}, app.E(app.CodeConflict, "the execution is stopped, but its end could not be stored yet", "Poll GET /executions/{id} until it has ended. Airlock goes on trying.")
	}
	if err != nil {
		return app.Execution{}, err
	}
	e.noteCancelled(detached, event)
	return e.Execution(ctx, id)
}

// noteCancelled audits a cancellation. While there is no room, or another process keeps the database, it goes on trying when it has returned.
func (e *Engine) noteCancelled(ctx context.Context, event app.Event) {
	err := e.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Audit(ctx, event) })
	switch {
	case err == nil:
	case temporary(err) && e.ctx.Err() == nil:
		e.runs.Go(func() {
			_ = pause(e.ctx, fullPause)
			e.noteCancelled(context.WithoutCancel(ctx), event)
		})
	default:
		e.cfg.Log.ErrorContext(ctx, "a cancellation could not be audited", "execution", event.Subject, "error", err)
	}
}

// end stops what runs or is queued under the handle. CodeAlreadyEnded if nothing does.
func (e *Engine) end(ctx context.Context, handle string, cause *stop) error {
	r, err := e.endPending(ctx, handle, cause)
	if err != nil || r == nil {
		return err
	}
	r.stop(cause)
	select {
	case <-r.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if stopOf(r.ctx) != cause || r.status != cause.status {
		return alreadyEnded()
	}
	return nil
}

func alreadyEnded() error {
	return app.E(app.CodeAlreadyEnded, "the execution has already ended", "GET /executions/{id} shows how it ended.")
}

// endPending ends a pending execution, or returns the run if it has been claimed.
func (e *Engine) endPending(ctx context.Context, handle string, cause *stop) (*run, error) {
	if r := e.running(handle); r != nil { // whatever the store is busy with
		return r, nil
	}
	if err := e.dispatch.LockWithin(ctx); err != nil {
		return nil, err
	}
	defer e.dispatch.Unlock()
	if r := e.running(handle); r != nil {
		return r, nil
	}
	var x store.Execution
	err := e.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		x, err = tx.ExecutionByHandle(ctx, handle)
		if err != nil {
			return err
		}
		if x.Status != app.StatusPending {
			return alreadyEnded()
		}
		_, err = tx.Finish(ctx, handle, e.unstarted(cause))
		return err
	})
	if err == nil {
		f := e.unstarted(cause)
		e.counted(f)
		e.publish(x.Execution)
		e.logEnd(x.Execution, f)
	}
	return nil, err
}

// unstarted is the end of an execution that never ran here.
func (e *Engine) unstarted(cause *stop) store.Finish {
	text, _ := redact.New(nil).Text(cause.message)
	return store.Finish{Status: cause.status, Error: text, At: e.now()}
}

// KillProfile ends everything the profile runs or has queued, as cancelled with the reason in the error; it returns when nothing of it runs any more.
func (e *Engine) KillProfile(ctx context.Context, handle, reason string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin) // a browser that goes away must not save a script
	defer cancel()
	cause := stopGone(reason)
	var unfinished []store.Execution
	err := e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		unfinished, err = tx.Unfinished(ctx, handle)
		return err
	})
	if err != nil {
		return fmt.Errorf("engine: end a profile's executions: %w", err)
	}
	var runs []*run
	var failed error
	for _, x := range unfinished { // first stop all, then wait for each
		r, err := e.endPending(ctx, x.Handle, cause)
		switch {
		case r != nil:
			r.stop(cause)
			runs = append(runs, r)
		case err != nil && app.CodeOf(err) != app.CodeAlreadyEnded:
			failed = fmt.Errorf("engine: end a profile's executions: %w", err) // and the others are stopped nevertheless
		}
	}
	for _, r := range runs {
		select {
		case <-r.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return failed
}
