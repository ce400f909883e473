package scheduler

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// ImmediateClaim is the right to claim an execution in the transaction that stores it.
//
// That saves an idle server a second transaction and its sync. The right holds a run slot, keeps
// others from claiming, and has Wait wait. It must end with either Begin or Release.
type ImmediateClaim struct{ s *Scheduler }

// ReserveClaim returns the right to claim at once. ok is false if an execution has to wait for its
// turn: no slot is free, the Scheduler is stopping, or ctx has ended.
func (s *Scheduler) ReserveClaim(ctx context.Context) (c ImmediateClaim, ok bool) {
	if !s.slots.startNow() {
		return c, false
	}
	s.mu.Lock()
	stopped := s.stopped
	if !stopped {
		s.runs.Add(1)
	}
	s.mu.Unlock()
	if stopped {
		s.slots.release()
		return c, false
	}
	if s.claiming.Acquire(ctx, 1) != nil {
		s.runs.Done()
		s.slots.release()
		return c, false
	}
	return ImmediateClaim{s}, true
}

// Claim marks the row as claimed if it is next, and reports whether it did. It is next if nothing
// waits, a sandbox is in use, and no proof, saturated class or unfinished ends could make another
// turn out to be.
func (c ImmediateClaim) Claim(n *store.NewExecution, a Admission) bool {
	s := c.s
	if a.Waiting > 0 || a.Paused || !s.canRun() || !s.cfg.Sandboxes.Decided() ||
		len(s.yields.atLeast(s.cfg.Workers)) > 0 || s.ends.of(n.ProfileHandle) >= maxEnds {
		return false
	}
	n.ClaimedBy = s.server
	return true
}

// Begin runs the execution that was claimed and committed: begin takes it over with its slot, as
// Config.Begin does.
func (c ImmediateClaim) Begin(x app.Execution, begin func(x app.Execution, slot *Slot) (run func())) {
	s := c.s
	x.Status = app.StatusRunning
	s.lastProfile = x.ProfileHandle
	run := begin(x, newSlot(s, x.ProfileHandle))
	s.claiming.Release(1)
	go func() {
		defer s.runs.Done()
		run()
	}()
}

// Release gives the right back unused. cleanUp is called in the background, and Wait waits for it.
func (c ImmediateClaim) Release(cleanUp func()) {
	s := c.s
	s.claiming.Release(1)
	s.slots.release()
	s.signalFreeSlot()
	go func() {
		defer s.runs.Done()
		cleanUp()
	}()
}
