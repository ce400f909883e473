package engine

import (
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/scheduler"
)

// Health is the engine's state for /health and the UI.
type Health struct {
	sandbox.Health
	Stopping bool // submissions are refused
	Workers  int
	Running  int
	Opening  int // of these: they wait for a slow box, and take no run slot
	Waiting  int // for an answer
	Queued   int // -1 if the database did not answer in time
}

// Health reports the state now.
func (e *Engine) Health() Health {
	h := Health{
		Health: e.Sandboxes.Health(), Workers: e.workers, Opening: e.Scheduler.CountOpening(), Waiting: e.waiters.Taken(),
		Stopping: e.Scheduler.IsStopping(), Queued: e.Scheduler.CountQueued(),
	}
	h.Running = max(e.Runner.Live()-h.Waiting, 0)
	if h.Stopping {
		h.Ready, h.Checking, h.Backend, h.Tier, h.Reason = false, false, "", "", scheduler.StoppingReason
	}
	return h
}
