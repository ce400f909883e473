package engine

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/store"
)

// claimEvery is how often the queue is looked at without having been told to.
const claimEvery = 2 * time.Second

// wakeUp says that there may be something to claim. It never blocks.
func (e *Engine) wakeUp() {
	e.pending.Store(true)
	e.nudge()
}

// nudge says that a slot is free for what may be there already.
func (e *Engine) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// claimLoop starts pending executions as slots get free: profiles take turns, and each has its oldest first.
func (e *Engine) claimLoop() {
	ticker := time.NewTicker(claimEvery)
	defer ticker.Stop()
	for e.slots.start(e.ctx) == nil {
		r, err := e.claim(e.ctx)
		if err != nil && e.ctx.Err() == nil {
			e.cfg.Log.Log(e.ctx, levelOf(err), "the queue could not be read", "error", err)
		}
		if r != nil {
			e.runs.Go(func() { e.execute(r) })
			continue
		}
		e.slots.release()
		select {
		case <-e.wake:
		case <-ticker.C:
			e.pending.Store(true)
		case <-e.ctx.Done():
			return
		}
	}
}

// claim takes the pending execution whose turn it is (store.Tx.Claim); nil if there is none, no sandbox to run it in or none yet (see later), no room on the disk for what it would give, or people hold the queue
// (access.PauseExecutions). The store isn't asked when it had none the last time and nothing was said since: a transaction per free slot would take the
// writer from those who need it.
func (e *Engine) claim(ctx context.Context) (r *run, err error) {
	if !e.runnable() || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !e.pending.Swap(false) { // before looking: what is said meanwhile counts
		return nil, nil
	}
	held := false
	defer func() {
		if r != nil || held || err != nil {
			e.pending.Store(true)
		}
	}()
	full, err := e.full(ctx)
	if held = full; full || err != nil {
		return nil, err
	}
	e.dispatch.Lock()
	defer e.dispatch.Unlock()
	if !e.runnable() { // Drain, say, which waits for what it finds here only
		held = true
		return nil, nil
	}
	var claimed store.Execution
	var ok bool
	// A claim that was committed must be known here: it is not given up half-way.
	err = e.cfg.Store.Write(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
		if held, _, err = access.ReadHeld(ctx, tx); err != nil || held {
			return err
		}
		later, err := e.later(ctx, tx)
		if err != nil {
			return err
		}
		claimed, ok, err = tx.Claim(ctx, e.name, e.lastTurn, e.now(), later...)
		return err
	})
	if err != nil || !ok {
		return nil, err
	}
	e.lastTurn = claimed.ProfileHandle
	r = newRun(e, claimed.Execution)
	e.register(r)
	e.publish(r.x)
	return r, nil
}

// full reports whether the disk has no room for what an execution would give. The log says when that begins and ends.
func (e *Engine) full(ctx context.Context) (bool, error) {
	err := e.cfg.Store.Roomy(ctx)
	full := app.CodeOf(err) == app.CodeStorageFull
	if err != nil && !full {
		return false, err
	}
	switch was := e.wasFull.Swap(full); {
	case full && !was:
		e.cfg.Log.Warn("the disk is full: nothing new is taken and the queue waits until there is room")
	case was && !full:
		e.cfg.Log.Info("the disk has room again: the queue goes on")
	}
	return full, nil
}
