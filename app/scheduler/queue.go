package scheduler

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/store"
)

// claimEvery is how often the queue is read without a wake-up.
const claimEvery = 2 * time.Second

// claimLoop starts pending executions as slots get free: profiles take turns, and each has its
// oldest first.
func (s *Scheduler) claimLoop() {
	ticker := time.NewTicker(claimEvery)
	defer ticker.Stop()
	for s.slots.start(s.ctx) == nil {
		run, err := s.claimNext(s.ctx)
		if err != nil && s.ctx.Err() == nil {
			s.cfg.Log.Log(s.ctx, app.RetryLevel(err), "could not read the queue", "error", err)
		}
		if run != nil {
			s.runs.Go(run)
			continue
		}
		s.slots.release()
		select {
		case <-s.wake:
		case <-ticker.C:
			s.pending.Store(true)
		case <-s.ctx.Done():
			return
		}
	}
}

// claimNext claims the pending execution whose turn it is, with the slot that the caller holds.
//
// run is nil if nothing is pending or may run yet: there is no sandbox (see notYet), no room on the
// disk for what it would print, or people have paused the queue. The store isn't asked if it had
// nothing the last time and no wake-up came since: a transaction per free slot would take the
// writer from those who need it.
func (s *Scheduler) claimNext(ctx context.Context) (run func(), err error) {
	if !s.canRun() || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !s.pending.Swap(false) { // before looking: a wake-up that comes meanwhile counts
		return nil, nil
	}
	lookAgain := false
	defer func() {
		if run != nil || lookAgain || err != nil {
			s.pending.Store(true)
		}
	}()
	full, err := s.checkDisk(ctx)
	if lookAgain = full; full || err != nil {
		return nil, err
	}
	// A claim that is committed must begin here, so it is not given up half-way.
	ctx = context.WithoutCancel(ctx)
	err = s.WithoutClaims(ctx, func() error {
		if !s.canRun() { // Drain, say, waits only for what has begun by now
			lookAgain = true
			return nil
		}
		x, ok, paused, err := s.claimRow(ctx)
		lookAgain = paused
		if err != nil || !ok {
			return err
		}
		s.lastProfile = x.ProfileHandle
		run = s.cfg.Begin(x, newSlot(s, x.ProfileHandle))
		s.cfg.Hub.PublishExecutions(x.Handle)
		return nil
	})
	return run, err
}

// claimRow claims the row whose turn it is. The caller holds s.claiming.
func (s *Scheduler) claimRow(ctx context.Context) (x app.Execution, ok, paused bool, err error) {
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if paused, _, err = instance.ReadHeld(ctx, tx); err != nil || paused {
			return err
		}
		notYet, err := s.notYet(ctx, tx)
		if err != nil {
			return err
		}
		claimed, found, err := tx.Queue.Claim(ctx, s.server, s.lastProfile, s.cfg.Now(), notYet...)
		x, ok = claimed.Execution, found
		return err
	})
	return x, ok, paused, err
}

// notYet lists the profiles whose pending executions are not claimed yet: too many of their ends are
// unfinished, a first proof that is not over may decide where they run, or the class of their boxes is
// saturated.
func (s *Scheduler) notYet(ctx context.Context, tx *store.Tx) (handles []string, err error) {
	handles = s.ends.atLeast(maxEnds)
	if s.cfg.Sandboxes.Decided() && len(s.yields.atLeast(s.cfg.Workers)) == 0 {
		return handles, nil
	}
	places, err := tx.Queue.Placements(ctx)
	for handle, p := range places {
		if s.cfg.Sandboxes.Undecided(p) || s.isSaturated(p) {
			handles = append(handles, handle)
		}
	}
	return handles, err
}

// checkDisk reports whether the disk has no room for what an execution would print. The log says
// when that changes.
func (s *Scheduler) checkDisk(ctx context.Context) (full bool, err error) {
	err = s.cfg.Store.CheckFreeSpace(ctx)
	full = app.CodeOf(err) == app.CodeStorageFull
	if err != nil && !full {
		return false, err
	}
	switch was := s.diskFull.Swap(full); {
	case full && !was:
		s.cfg.Log.Warn("the disk is full: the queue waits, and new executions are refused")
	case was && !full:
		s.cfg.Log.Info("the disk has space again: the queue goes on")
	}
	return full, nil
}
