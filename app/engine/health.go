package engine

import (
	"context"
	"time"

	"github.com/computclaw/airlock/store"
)

// healthWithin bounds how long Health waits for the database: it must answer while a script does its worst.
const healthWithin = time.Second

// Health is the engine's state for /health and the UI.
type Health struct {
	Ready    bool
	Backend  string
	Tier     string
	Reason   string // why not ready and what to do
	Controls []Control
	Enforced map[string]string
	Runtime  string
	Workers  int
	Running  int
	Waiting  int // for the LLM
	Queued   int // -1 if the database did not answer in time
	Warm     int // boxes ready
}

// Control is one proved or unproved control of the sandbox.
type Control struct {
	Name   string
	Proved bool
	Detail string
}

// Health reports the state now. While no backend is ready, controls and limits are those of the one that was checked last.
func (e *Engine) Health() Health {
	e.mu.Lock()
	b, live := e.backend, len(e.live)
	h := Health{
		Ready: b != nil, Backend: e.report.Name, Tier: string(e.report.Tier), Reason: e.reason, Enforced: e.report.Enforced,
		Runtime: e.report.Runtime, Workers: e.cfg.Workers, Waiting: int(e.waiting.Load()),
	}
	for _, c := range e.report.Controls {
		h.Controls = append(h.Controls, Control{Name: c.Name, Proved: c.Proved, Detail: c.Detail})
	}
	e.mu.Unlock()
	h.Running = max(live-h.Waiting, 0)
	h.Queued = e.queued()
	if b != nil {
		h.Warm = b.pool.ready()
	}
	return h
}

func (e *Engine) queued() int {
	ctx, cancel := context.WithTimeout(context.Background(), healthWithin)
	defer cancel()
	n := -1
	err := e.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		all, _, err := tx.Queued(ctx, "")
		n = all
		return err
	})
	if err != nil {
		return -1
	}
	return n
}
