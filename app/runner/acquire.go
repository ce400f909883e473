package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/store"
)

const (
	boxTries  = 3 // boxes tried before the script is sent, and attempts to send it
	boxRetry  = 200 * time.Millisecond
	fullRetry = time.Second // before a write on a full disk is tried again
)

var (
	// errNoBox says that no box became available after all attempts.
	errNoBox = errors.New("runner: no sandbox became available")

	errBoxDied = errors.New("runner: the sandbox ended before the script was sent")
)

// acquireBox gets a box that is ready and records what the execution is bound to. A box that dies
// before the script was sent is replaced, a few times.
func (r *Run) acquireBox(b *Binding) (in *sandbox.Backend, box *sandbox.Box, err error) {
	defer r.slot.EndYield()
	if b.box != nil && b.box.Healthy() && context.Cause(r.ctx) == nil {
		box, b.box = b.box, nil
		return b.backend, box, nil
	}
	b.Discard()
	for try := range boxTries {
		if ended := sleep.For(r.ctx, time.Duration(try)*boxRetry); ended != nil {
			return nil, nil, ended
		}
		if in, err = r.runner.cfg.Sandboxes.Place(b.place); err != nil {
			continue
		}
		box, warm, opening := r.takeBox(in, in.Class(b.place))
		if opening != nil {
			err = opening
			continue
		}
		if err := r.recordStart(b, in, warm); err != nil {
			box.Close()
			return nil, nil, err
		}
		if box.Healthy() {
			return in, box, nil
		}
		box.Close()
		err = errBoxDied
	}
	return nil, nil, fmt.Errorf("%w: %w", errNoBox, err)
}

// takeBox takes a box of the class, and gives the run slot away while one is long in coming.
func (r *Run) takeBox(in *sandbox.Backend, class sandbox.Class) (box *sandbox.Box, warm bool, err error) {
	box, warm, err = in.Take(r.ctx, class, r.slot.Patience(class), func() { r.slot.Yield(class) })
	if err != nil {
		return nil, false, err
	}
	if err := r.slot.Resume(r.ctx); err != nil {
		box.Close()
		return nil, false, err
	}
	return box, warm, nil
}

// recordStart stores what the execution is bound to, before the script is sent.
func (r *Run) recordStart(b *Binding, in *sandbox.Backend, warm bool) error {
	d := b.startRecord(in, warm, r.runner.cfg.Now())
	if b.grant.vault {
		d.Shown = new(show(r.redaction.redactor(), b.source))
	}
	err := retryWhileFull(r.ctx, func() error {
		return r.runner.cfg.Store.Write(r.ctx, func(tx *store.Tx) error {
			return tx.Queue.Dispatch(r.ctx, r.x.Handle,
				d)
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
