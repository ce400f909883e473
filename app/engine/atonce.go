package engine

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// atOnce is the right to claim an execution in the transaction that stores it, which saves a second one (and its sync) to who waits for an idle server.
// It is a run slot, the dispatch lock and a place among runs: nobody else claims meanwhile, and Close waits. It must be ended.
type atOnce struct {
	e     *Engine
	bound *binding // once bound; nil if that has to wait until it is claimed
	r     *run     // once claimed
}

// binding is what an execution was bound to with the commit that stored and claimed it: a box and what dispatch would have recorded.
type binding struct {
	job job
	in  *backend
	box *box // has met no profile yet; whoever takes it out runs or closes it
}

// atOnce returns nil if an execution has to wait for its turn: no slot is free or the engine is closing; or ctx has ended.
func (e *Engine) atOnce(ctx context.Context) *atOnce {
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
	if e.dispatch.LockWithin(ctx) != nil {
		e.runs.Done()
		e.slots.release()
		return nil
	}
	return &atOnce{e: e}
}

// may reports whether an execution that is being stored is next, with so many waiting: nothing waits, a sandbox is in use, none is still to be proved for the first time, no
// backend keeps so many waiting that the next has to queue, and people don't hold the queue.
func (a *atOnce) may(waiting int, held bool) bool {
	if a == nil || waiting > 0 || held || !a.e.runnable() {
		return false
	}
	a.e.mu.Lock()
	defer a.e.mu.Unlock()
	return a.e.allTried() && !a.e.anyCrowded()
}

// terms are a profile and its newest policy as a submission found them.
type terms struct {
	profile app.Profile
	policy  app.Policy
}

// bind puts into n what the execution is bound to, if that takes no more than the store and a box that waits: else, and if anything is missing, it is bound once it has been
// claimed, and there the reason is found again and said. So are re-runs, which also have answers to read: found is nil for them.
// Errors are the store's, after which nothing more may be stored: SQLite may have ended the transaction, and each statement would count by itself.
func (a *atOnce) bind(ctx context.Context, tx *store.Tx, n *store.NewExecution, s Submission, found *terms) error {
	if found == nil {
		return nil
	}
	// What was decided before the transaction began is read in it, and what is decided later is reviewed later: see prepare.
	seen := a.e.reviews.Load()
	policy := found.policy
	newest, err := tx.NewestPolicy(ctx, n.ProfileHandle, a.e.now())
	if err != nil || newest != policy.Version {
		return err
	}
	in, err := a.e.place(policy.Placement)
	if err != nil {
		return nil
	}
	values, here, err := a.e.cfg.Access.ResolveIn(ctx, tx, n.ProfileHandle, policy)
	if err != nil || !here {
		return err
	}
	g, err := a.e.granted(policy, values)
	if err != nil {
		return nil
	}
	box := in.class(policy.Placement.Image).takeWaiting()
	if box == nil {
		return nil
	}
	a.bound = &binding{job{grant: g, script: []byte(s.Script), inputs: s.Inputs, seen: seen}, in, box}
	n.Dispatch = new(g.dispatch(in, true, n.At))
	return a.e.cfg.Access.CountUse(ctx, tx, policy)
}

// claimed takes the execution over once the transaction is committed, with what it was given.
func (a *atOnce) claimed(x app.Execution, s Submission) {
	x.Status = app.StatusRunning
	a.r = newRun(a.e, x)
	a.r.bound, a.bound = a.bound, nil
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
		a.e.nudge()
	}
	go func() { // to close a box takes longer than whoever was refused should wait
		defer a.e.runs.Done()
		switch {
		case a.r != nil:
			a.e.execute(a.r)
		case a.bound != nil:
			a.bound.box.close()
		}
	}()
}
