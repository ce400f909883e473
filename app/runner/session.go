package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

const (
	boxTries  = 3 // boxes tried by one acquire; see sendTries
	boxRetry  = 200 * time.Millisecond
	fullRetry = time.Second // before a write on a full disk is tried again

	freezeWithin = 10 * time.Second // bounds freezing and thawing: twice what the guest takes at most
)

// Removing a box delays the agent's answer by using two processors for some milliseconds. So a box
// stays until the end was delivered if nobody wants its slot. Nothing of the script is alive in it.
const (
	lingerMost    = 50 * time.Millisecond // however long the end takes to be stored
	deliverWithin = 3 * time.Millisecond  // from the end being stored until its agent has it
)

var (
	// errNoBox says that no box became available after all attempts.
	errNoBox = errors.New("runner: no sandbox became available")

	errBoxDied = errors.New("runner: the sandbox ended before the script was sent")
)

// session is the box, the masked values and the one way out. It knows nothing of scripts.
//
// Its ctx ends with the Stop that ends the execution early. All but freeze and thaw is for the
// goroutine that drives the execution.
type session struct {
	runner    *Runner
	x         app.Execution // as claimed
	ctx       context.Context
	stop      func(*Stop)
	slot      *scheduler.Slot
	redaction *redaction
	network   Network

	backend *sandbox.Backend // of the box
	box     *sandbox.Box     // the last one that was acquired
	leaving bool             // the box is removed in the background, and then the slot is released
	removal sync.WaitGroup
}

// acquire gets a ready box and records the execution's bindings. A box that dies before the script
// was sent is replaced, a few times.
func (s *session) acquire(b *Binding) (err error) {
	defer s.slot.EndYield()
	if b.box != nil && b.box.Healthy() && s.ctx.Err() == nil {
		s.backend, s.box, b.box = b.backend, b.box, nil
		return nil
	}
	b.Discard()
	for try := range boxTries {
		if ended := sleep.For(s.ctx, time.Duration(try)*boxRetry); ended != nil {
			return ended
		}
		if s.backend, err = s.runner.cfg.Sandboxes.Place(b.place); err != nil {
			continue
		}
		warm := false
		if s.box, warm, err = s.takeBox(s.backend.Class(b.place)); err != nil {
			continue
		}
		if err := s.recordStart(b, warm); err != nil {
			s.box.Close()
			return err
		}
		if s.box.Healthy() {
			return nil
		}
		s.box.Close()
		err = errBoxDied
	}
	return fmt.Errorf("%w: %w", errNoBox, err)
}

// takeBox takes a box of the class. It gives the run slot away during a long wait.
func (s *session) takeBox(class sandbox.Class) (box *sandbox.Box, warm bool, err error) {
	box, warm, err = s.backend.Take(s.ctx, class, s.slot.Patience(class), func() { s.slot.Yield(class) })
	if err != nil {
		return nil, false, err
	}
	if err = s.slot.Resume(s.ctx); err != nil {
		box.Close()
	}
	return box, warm, err
}

func (s *session) recordStart(b *Binding, warm bool) error {
	d := b.startRecord(s.backend, warm, s.runner.cfg.Now())
	if b.grant.vault {
		d.Shown = new(show(s.redaction.redactor(), b.source))
	}
	err := retryWhileFull(s.ctx, func() error {
		return s.runner.cfg.Store.Write(s.ctx, func(tx *store.Tx) error {
			return tx.Queue.Dispatch(s.ctx, s.x.Handle, d)
		})
	})
	if err != nil {
		return fmt.Errorf("runner: record the start: %w", err)
	}
	return nil
}

// retryWhileFull retries write while the disk is full or the database is locked.
func retryWhileFull(ctx context.Context, write func() error) error {
	for {
		err := write()
		if !app.IsTemporary(err) {
			return err
		}
		if ended := sleep.For(ctx, fullRetry); ended != nil {
			return ended
		}
	}
}

// freeze stops the box. It returns false if that fails; the box then counts as running.
func (s *session) freeze(ctx context.Context) bool {
	within, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	err := s.box.Session.Freeze(within, true)
	if err == nil {
		return true
	}
	ended := ctx.Err() != nil
	err = errors.Join(err, s.thaw(context.WithoutCancel(ctx))) // whatever it did, it counts as running
	if !ended {
		s.runner.cfg.Log.Warn("could not freeze a waiting sandbox", "execution", s.x.Handle, "error", err)
	}
	return false
}

// thaw resumes the box, or stops the execution if that fails.
func (s *session) thaw(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	err := s.box.Session.Freeze(within, false)
	if errors.Is(err, guest.ErrNotFrozen) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		s.stop(&Stop{app.StatusError, "the sandbox stopped responding while the script waited for an answer; " +
			"submit it again if it is safe to run twice"})
	}
	if err != nil {
		return fmt.Errorf("runner: thaw: %w", err)
	}
	return nil
}

// leave removes the box in the background, then releases the slot. If another slot is free, it
// waits until the end was stored. The slot covers the removal, which takes processor time and
// memory.
func (s *session) leave(stored <-chan struct{}) {
	s.leaving = true
	s.removal.Go(func() {
		defer s.slot.Release()
		if s.slot.OthersFree() { // so nobody waits for this one
			s.linger(stored)
		}
		exit, err := s.box.End()
		if err != nil || exit.Reason != plugins.ReasonExit {
			s.runner.cfg.Log.Warn("a sandbox ended differently from its script", "execution", s.x.Handle,
				"reason", exit.Reason, "diagnostic", exit.Diagnostic, "error", err)
		}
	})
}

// linger returns after the end was delivered, or a limit.
func (s *session) linger(stored <-chan struct{}) {
	most := time.NewTimer(lingerMost)
	defer most.Stop()
	select {
	case <-stored:
		_ = sleep.For(s.runner.ctx, deliverWithin)
	case <-most.C:
	}
}
