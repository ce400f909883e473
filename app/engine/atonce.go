package engine

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/store"
)

// atOnce is the right to claim an execution in the transaction that stores it, which saves a second one (and its sync) to who waits for an idle server.
// It is a run slot, the dispatch lock and a place among runs: nobody else claims meanwhile, and Close waits. It must be ended.
type atOnce struct {
	e *Engine
	r *run // once claimed
}

// atOnce returns nil if an execution has to wait for its turn: no slot is free or the engine is closing.
func (e *Engine) atOnce() *atOnce {
	if !e.slots.startNow() {
		return nil
	}
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.runs.Add(1)
	}
	e.mu.Unlock()
	if closed {
		e.slots.release()
		return nil
	}
	e.dispatch.Lock()
	return &atOnce{e: e}
}

// may reports in the transaction that stores an execution whether it is next: nothing waits, a sandbox is in use, none is still to be proved for the first time, no
// backend keeps so many waiting that the next has to queue, and people don't hold the queue.
func (a *atOnce) may(ctx context.Context, tx *store.Tx, waiting int) (bool, error) {
	if a == nil || waiting > 0 || !a.e.runnable() {
		return false, nil
	}
	a.e.mu.Lock()
	queues := !a.e.allTried() || a.e.anyCrowded()
	a.e.mu.Unlock()
	if queues {
		return false, nil
	}
	held, err := access.ReadHeld(ctx, tx)
	return err == nil && !held, err
}

// claimed takes the execution over once the transaction is committed, with what it was given.
func (a *atOnce) claimed(x app.Execution, s Submission) {
	x.Status = app.StatusRunning
	a.r = newRun(a.e, x)
	a.r.script, a.r.inputs = []byte(s.Script), s.Inputs
	a.e.lastTurn = x.ProfileHandle
	a.e.register(a.r)
}

// end runs what was claimed, or gives everything back.
func (a *atOnce) end() {
	if a == nil {
		return
	}
	a.e.dispatch.Unlock()
	if a.r == nil {
		a.e.slots.release()
		a.e.runs.Done()
		a.e.nudge()
		return
	}
	go func() {
		defer a.e.runs.Done()
		a.e.execute(a.r)
	}()
}
