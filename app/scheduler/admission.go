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
