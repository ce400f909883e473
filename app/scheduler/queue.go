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

// claimLoop starts pending executions as slots get free.
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

// claimNext claims the next pending execution, with the caller's slot.
//
// run is nil if nothing is pending, claims are paused, the disk is full, or notYet holds it back.
// It asks the store only after a wake-up or an earlier claim, to spare the writer.
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
	// A committed claim must begin.
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

// notYet lists the profiles whose pending executions must wait. Reasons: too many unfinished ends,
// an unfinished first proof, or a saturated class of boxes.
func (s *Scheduler) notYet(ctx context.Context, tx *store.Tx) (handles []string, err error) {
	handles = s.ends.atLeast(maxEnds)
	if s.cfg.Sandboxes.IsDecided() && len(s.yields.atLeast(s.cfg.Workers)) == 0 {
		return handles, nil
	}
	places, err := tx.Queue.Placements(ctx)
	for handle, p := range places {
		if s.cfg.Sandboxes.IsUndecided(p) || s.isSaturated(p) {
			handles = append(handles, handle)
		}
	}
	return handles, err
}

// checkDisk reports whether the disk is too full for an execution's output. It logs changes.
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
