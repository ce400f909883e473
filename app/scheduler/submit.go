package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/store"
)

// Submission is an execution to be queued. All fields must be set.
//
// Check and Bind run in the storing transaction; their errors undo it. Bind is called only for a
// row claimed at once. Then Begin takes over as Config.Begin does, or Discard gives back what Bind
// took.
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
// If nothing waits and a slot is free, the same transaction claims the row. That saves a second
// commit.
func (s *Scheduler) Submit(ctx context.Context, sub Submission) (app.Execution, error) {
	reserved := s.reserve(ctx)
	if reserved { // a claim that is committed must begin here, so it is not given up half-way
		ctx = context.WithoutCancel(ctx)
	}
	var x app.Execution
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
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

// isNext reports whether a row stored now would be claimed next. Nothing waits, a sandbox is in
// use, and notYet could hold nothing back.
func (s *Scheduler) isNext(profile string, a Admission) bool {
	return a.Waiting == 0 && !a.Paused && s.canRun() && s.cfg.Sandboxes.IsDecided() &&
		len(s.yields.atLeast(s.cfg.Workers)) == 0 && s.ends.of(profile) < maxEnds
}

// reserve takes a run slot and blocks other claims. It reports false if no slot is free, the
// Scheduler stops, or ctx has ended.
//
// Wait waits for reservations. They end with begin or unreserve.
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

// unreserve gives up the reservation and calls discard in the background.
func (s *Scheduler) unreserve(discard func()) {
	s.claiming.Release(1)
	s.slots.release()
	s.signalFreeSlot()
	go func() {
		defer s.runs.Done()
		discard()
	}()
}

// StoppingReason is the reason given for refusals while Airlock stops.
const StoppingReason = "Airlock is being stopped"

// Admission is the queue's state at a submission.
type Admission struct {
	Waiting int  // pending executions
	Paused  bool // people have paused the queue
}

// Admit refuses a submission that could not run or would wait too long. Errors:
// CodeInstanceRetired, CodeStorageFull, CodeSandboxUnavailable, CodeQueueFull.
func (s *Scheduler) Admit(ctx context.Context, tx *store.Tx, profile string) (a Admission, err error) {
	paused, retired, err := instance.ReadHeld(ctx, tx)
	if err != nil {
		return a, err
	}
	if err := cmp.Or(retired.Err(), s.cfg.Store.CheckFreeSpaceIn(ctx, tx), s.checkAccepting()); err != nil {
		return a, err
	}
	all, own, err := tx.Queue.Count(ctx, profile)
	switch {
	case err != nil:
		return a, err
	case own >= s.cfg.QueuePerProfile:
		return a, app.E(app.CodeQueueFull, fmt.Sprintf("this profile has %d executions waiting already", own),
			"Wait until some of them have ended, then submit again.")
	case all >= s.cfg.Queue:
		return a, app.E(app.CodeQueueFull, fmt.Sprintf("%d executions are waiting already", all),
			"Try again later, or ask the operator to raise AIRLOCK_QUEUE or AIRLOCK_WORKERS.")
	}
	return Admission{Waiting: all, Paused: paused}, nil
}

// checkAccepting returns the error for agents while nothing may run.
func (s *Scheduler) checkAccepting() error {
	if s.IsStopping() {
		return app.E(app.CodeSandboxUnavailable, StoppingReason,
			"Wait until it has been started again, which GET /health tells, then submit again.")
	}
	if reason := s.cfg.Sandboxes.Unavailable(); reason != "" {
		return app.E(app.CodeSandboxUnavailable, "no sandbox is available: "+reason,
			"Ask the person who runs Airlock to look at the Sandbox page of the UI, "+
				"or to run airlock doctor on the host; then submit again.")
	}
	return nil
}

// queuedWithin bounds CountQueued's wait for the database: /health must answer under load.
const queuedWithin = time.Second

// CountQueued returns the number of pending executions, or -1 if the database is slow.
func (s *Scheduler) CountQueued() int {
	ctx, cancel := context.WithTimeout(store.Urgent(context.Background()), queuedWithin)
	defer cancel()
	n := -1
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		n, _, err = tx.Queue.Count(ctx, "")
		return err
	})
	if err != nil {
		return -1
	}
	return n
}
