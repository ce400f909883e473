package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
)

// freezeWithin bounds freezing and thawing: twice what the guest takes at most.
const freezeWithin = 10 * time.Second

// suspend holds the clock and freezes the box. It reports false if the box could not be frozen: its
// time counts on.
func (r *Run) suspend(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	if err := r.box.Session.Freeze(ctx, true); err != nil {
		if ctx.Err() == nil {
			r.runner.cfg.Log.Warn("a waiting sandbox could not be frozen", "execution", r.x.Handle, "error", err)
		}
		_ = r.thaw(context.WithoutCancel(ctx)) // whatever it did, it counts as running
		return false
	}
	r.clock.pause()
	return true
}

// resume undoes suspend, once the execution has a run slot again.
func (r *Run) resume(ctx context.Context, frozen bool) error {
	if !frozen {
		return nil
	}
	if err := r.slot.Resume(ctx); err != nil {
		return err
	}
	if err := r.thaw(ctx); err != nil {
		return err
	}
	r.clock.resume()
	return nil
}

// thaw lets the box run. One that doesn't thaw is stopped; one that is gone ends with the reason
// for that.
func (r *Run) thaw(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	err := r.box.Session.Freeze(within, false)
	if errors.Is(err, guest.ErrNotFrozen) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.Stop(&Stop{app.StatusError, "the sandbox could not be woken up for the script to go on; " +
			"submit it again if it is safe to run twice"})
	}
	if err != nil {
		return fmt.Errorf("runner: thaw: %w", err)
	}
	return nil
}
