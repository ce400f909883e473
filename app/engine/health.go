package engine

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

// healthWithin bounds how long Health waits for the database: it must answer while a script does its worst.
const healthWithin = time.Second

// Health is the engine's state for /health and the UI.
type Health struct {
	Ready    bool
	Checking bool   // first proofs that decide about the default backend are being taken: what is submitted waits for their outcome
	Backend  string // the default one; "" if none is in use
	Tier     string // its tier
	Stopping bool   // nothing is accepted any more
	Reason   string // why not ready and what to do
	Backends []BackendHealth
	Workers  int
	Running  int
	Opening  int // of these: they wait for a box that is long in coming, and take no run slot
	Waiting  int // for the LLM
	Queued   int // -1 if the database did not answer in time
	Warm     int // boxes ready
}

// BackendHealth is one configured backend and how its last proof ended.
type BackendHealth struct {
	Name     string
	Checking bool // its first proof is being taken, or is about to be
	InUse    bool
	Default  bool
	Passed   bool              // its proof; it is not in use all the same if Auto found a stronger one
	Reason   string            // why it did not pass, and what to do
	Again    bool              // it is not in use, and is proved again now and then
	Proved   time.Time         // zero: not yet
	Images   map[string]string // that profiles may choose, with their identities
	Report   plugins.Report
	Warm     int
}

// prover is a backend that may have had to prove its controls again without being asked.
type prover interface {
	Proof() (plugins.Report, time.Time)
}

// again takes over a proof that a backend in use has passed since its last one here: its process had to be started again.
func (b *BackendHealth) again(c *candidate) {
	p, ok := c.Backend.(prover)
	if !ok || c.use == nil {
		return
	}
	if report, at := p.Proof(); at.After(b.Proved) {
		b.Proved, b.Report, b.Images = at, report, report.Images
	}
}

// Health reports the state now.
func (e *Engine) Health() Health {
	e.mu.Lock()
	h := Health{Reason: e.reason, Workers: e.cfg.Workers, Waiting: e.waiting.taken()}
	h.Opening = e.opening()
	live, first, draining := len(e.live), e.standard(), e.draining
	h.Stopping = draining || e.closed
	h.Checking = e.undecided(app.Placement{}) && !h.Stopping
	uses := make([]*backend, len(e.fleet))
	for i, c := range e.fleet {
		h.Backends = append(h.Backends, BackendHealth{
			Name: c.Name, Checking: !c.tried && !e.closed, InUse: c.use != nil, Default: c.use != nil && c.use == first, Passed: c.passed, Reason: c.reason, Again: c.tried && e.wanted(c),
			Proved: c.proved, Images: c.report.Images, Report: c.report,
		})
		h.Backends[i].again(c)
		uses[i] = c.use
	}
	e.mu.Unlock()
	if draining {
		h.Reason = beingStopped
	}
	if first != nil && !draining {
		h.Ready, h.Backend, h.Tier = true, first.name, string(first.report.Tier)
	}
	for i, b := range uses {
		if b != nil {
			h.Backends[i].Warm = b.warm()
			h.Warm += h.Backends[i].Warm
		}
	}
	h.Running = max(live-h.Waiting, 0)
	h.Queued = e.queued()
	return h
}

func (e *Engine) queued() int {
	ctx, cancel := context.WithTimeout(store.Urgent(context.Background()), healthWithin)
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
