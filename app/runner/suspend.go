package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
)

// freezeWithin bounds freezing and thawing: twice what the guest takes at most.
const freezeWithin = 10 * time.Second

// suspend freezes the box and pauses the clock. If the box can't be frozen it returns false and the
// clock runs on.
func (r *Run) suspend(ctx context.Context) bool {
	within, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	err := r.box.Session.Freeze(within, true)
	if err == nil {
		r.clock.pause()
		return true
	}
	ended := ctx.Err() != nil
	err = errors.Join(err, r.thaw(context.WithoutCancel(ctx))) // whatever it did, it counts as running
	if !ended {
		r.runner.cfg.Log.Warn("could not freeze a waiting sandbox", "execution", r.x.Handle, "error", err)
	}
	return false
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

// thaw lets the box run again. An execution whose box doesn't thaw is stopped.
func (r *Run) thaw(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, freezeWithin)
	defer cancel()
	err := r.box.Session.Freeze(within, false)
	if errors.Is(err, guest.ErrNotFrozen) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		r.Stop(&Stop{app.StatusError, "the sandbox stopped responding while the script waited for an answer; " +
			"submit it again if it is safe to run twice"})
	}
	if err != nil {
		return fmt.Errorf("runner: thaw: %w", err)
	}
	return nil
}

// clock measures how long a script has run, and calls expire once when its limit is used up.
//
// It starts paused: opening a box and waiting for an answer are not the script's time. It is safe
// for concurrent use.
type clock struct {
	limit  time.Duration
	expire func()

	mu      sync.Mutex
	used    time.Duration
	since   time.Time // zero while paused
	timer   *time.Timer
	stopped bool
}

func newClock(limit time.Duration, expire func()) *clock {
	return &clock{limit: limit, expire: expire}
}

// resume lets the time run.
func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || !c.since.IsZero() {
		return
	}
	c.since = time.Now()
	c.timer = time.AfterFunc(c.limit-c.used, c.expire)
}

// pause holds the time.
func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pauseLocked()
}

// stop ends the clock for good and returns the time used.
func (c *clock) stop() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pauseLocked()
	c.stopped = true
	return c.used
}

// elapsed returns the time used so far, and whether the clock was stopped for good.
func (c *clock) elapsed() (used time.Duration, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if used = c.used; !c.since.IsZero() {
		used += time.Since(c.since)
	}
	return used, c.stopped
}

func (c *clock) pauseLocked() {
	if c.since.IsZero() {
		return
	}
	c.used += time.Since(c.since)
	c.since = time.Time{}
	c.timer.Stop()
}
