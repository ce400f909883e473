package runner

import (
	"sync"
	"time"
)

// clock measures a script's run time and calls expire once at its limit.
//
// It starts paused: opening a box and waiting for an answer don't count. Safe for concurrent use.
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

// measure returns the time used so far, and whether the clock was stopped for good.
func (c *clock) measure() (used time.Duration, over bool) {
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
