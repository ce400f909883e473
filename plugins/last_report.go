package plugins

import (
	"context"
	"time"
)

type proof struct {
	report Report
	at     time.Time
}

// Proof returns the last report that said the plugin is ready, and its time. Both are zero while it
// is not ready. A restarted plugin proves its controls anew.
func (c *Client) Proof() (Report, time.Time) {
	p := c.proof.Load()
	if p == nil {
		return Report{}, time.Time{}
	}
	return p.report, p.at
}

const (
	reviveWithin = time.Minute
	mindEvery    = time.Second
)

// mind restarts a plugin that ended, without waiting for a call. Only its Check removes leftovers.
// After repeated early crashes the next call decides.
func (c *Client) mind(p *process) {
	ticker := time.NewTicker(mindEvery)
	defer ticker.Stop()
	for ended := false; !ended; {
		select {
		case <-p.ended:
			ended = true
		case <-ticker.C:
			ended = p.client.Exited()
		}
	}
	if c.life.Err() != nil || c.proof.Load() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(c.life, reviveWithin)
	defer cancel()
	if _, err := c.findRunning(ctx, c.repeatCheck); err != nil && c.life.Err() == nil {
		c.cfg.Logger.Warn("a sandbox backend ended and could not be started again; the next execution that needs it "+
			"tries it once more", "plugin", c.cfg.Name, "error", err)
	}
}
