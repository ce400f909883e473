package scheduler

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Submission is an execution on its way into the queue. All fields must be set.
//
// Check and Bind run in the transaction that stores the row; an error of theirs undoes it. Bind is
// called only for a row that is claimed at once. Begin then takes the execution over as
// Config.Begin does; if it can't, Discard gives back what Bind took.
type Submission struct {
	Row     *store.NewExecution
	Check   func(ctx context.Context, tx *store.Tx) error // refuses it, or completes the row
	Bind    func(ctx context.Context, tx *store.Tx) error // prepares its start
	Begin   func(x app.Execution, slot *Slot) (run func())
	Discard func()
}

// Submit stores an execution and returns it as pending, without its id. Errors: those of Check,
// Admit, Bind and store.Queue.Add.
//
// If nothing waits and a slot is free, the transaction that stores the row claims it too. It would
// be the next claim in any case, and an idle server saves a second transaction and its sync.
func (s *Scheduler) Submit(ctx context.Context, sub Submission) (app.Execution, error) {
	reserved := s.reserve(ctx)
	if reserved { // a claim that is committed must begin here, so it is not given up half-way
		ctx = context.WithoutCancel(ctx)
	}
	x, err := s.insert(ctx, sub, reserved)
	claimed := err == nil && sub.Row.ClaimedBy != ""
	switch {
	case claimed:
		s.begin(x, sub.Begin)
	case reserved:
		s.unreserve(sub.Discard)
	}
	if err == nil && !claimed && !sub.Row.Waits {
		s.Wake()
	}
	return x, err
}

// insert stores the row, and claims it if the caller holds a reservation and the row is next.
func (s *Scheduler) insert(ctx context.Context, sub Submission, reserved bool) (x app.Execution, err error) {
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := sub.Check(ctx, tx); err != nil {
			return err
		}
		admission, err := s.Admit(ctx, tx, sub.Row.ProfileHandle)
		if err != nil {
			return err
		}
		if reserved && !sub.Row.Waits && s.isNext(sub.Row.ProfileHandle, admission) {
			sub.Row.ClaimedBy = s.server
			if err := sub.Bind(ctx, tx); err != nil {
				return err
			}
		}
		stored, err := tx.Queue.Add(ctx, *sub.Row)
		x = stored.Execution
		return err
	})
	return x, err
}

// isNext reports whether an execution that is stored now would be claimed next: nothing waits, a
// sandbox is in use, and no proof, saturated class or unfinished ends could give another the turn.
func (s *Scheduler) isNext(profile string, a Admission) bool {
	return a.Waiting == 0 && !a.Paused && s.canRun() && s.cfg.Sandboxes.Decided() &&
		len(s.yields.atLeast(s.cfg.Workers)) == 0 && s.ends.of(profile) < maxEnds
}

// reserve takes a run slot and keeps others from claiming. It reports false if the execution has to
// wait for its turn: no slot is free, the Scheduler is stopping, or ctx has ended.
//
// Wait waits for what is reserved. It ends with begin or unreserve.
func (s *Scheduler) reserve(ctx context.Context) bool {
	if !s.slots.startNow() {
		return false
	}
	s.mu.Lock()
	stopped := s.stopped
	if !stopped {
		s.runs.Add(1)
	}
	s.mu.Unlock()
	if stopped {
		s.slots.release()
		return false
	}
	if s.claiming.Acquire(ctx, 1) != nil {
		s.runs.Done()
		s.slots.release()
		return false
	}
	return true
}

// begin runs the execution that was claimed and committed under the reservation.
func (s *Scheduler) begin(x app.Execution, begin func(x app.Execution, slot *Slot) (run func())) {
	x.Status = app.StatusRunning
	s.lastProfile = x.ProfileHandle
	run := begin(x, newSlot(s, x.ProfileHandle))
	s.claiming.Release(1)
	go func() {
		defer s.runs.Done()
		run()
	}()
}

// unreserve gives the reservation back unused. It calls discard in the background.
func (s *Scheduler) unreserve(discard func()) {
	s.claiming.Release(1)
	s.slots.release()
	s.signalFreeSlot()
	go func() {
		defer s.runs.Done()
		discard()
	}()
}
