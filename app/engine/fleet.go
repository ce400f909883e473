package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/plugins"
)

const (
	checkWithin  = 2 * time.Minute // a proof of docker takes 5 s, and ten times that on a slow machine that is busy
	checkFirst   = 5 * time.Second // after a proof failed, doubled up to checkLast
	checkLast    = 5 * time.Minute
	checkAsked   = 10 * time.Second // between a proof that failed and the next one because somebody needs the backend
	failuresLast = 3                // openings in a row; then the backend is proved again
	lapsesLast   = 2                // proofs that pass although no box opens afterwards; then it has to rest
)

// groups are the candidates whose proofs depend on each other's: with Auto all, else each is its own, so that a slow one keeps no other waiting.
func (e *Engine) groups() [][]*candidate {
	if e.cfg.Auto {
		return [][]*candidate{e.fleet}
	}
	return slices.Collect(slices.Chunk(e.fleet, 1))
}

// survey proves what of a group is due, and takes the outcome into account. With Auto it stops at the first of tier full.
func (e *Engine) survey(ctx context.Context, group []*candidate) {
	for _, c := range e.due(group) {
		if e.proof(ctx, c) && c.tier(e) == plugins.TierFull {
			break
		}
	}
	e.settle(group...)
}

func (c *candidate) tier(e *Engine) plugins.Tier {
	e.mu.Lock()
	defer e.mu.Unlock()
	return c.report.Tier
}

// due are those of a group that should be proved now, without anybody asking for it: what is not in use, with Auto only if its proof can change what is. What somebody has proved meanwhile must not keep a stronger one from being tried.
func (e *Engine) due(group []*candidate) (list []*candidate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range group {
		if e.wanted(c) && !e.now().Before(c.rest) {
			list = append(list, c)
		}
	}
	return list
}

// wanted reports whether the candidate is not in use and would be if it passed: with Auto, what failed or lapsed and could be chosen over what is. It must not
// stay out for ever once it works again. One that passed and is not used has lost already. e.mu is held.
func (e *Engine) wanted(c *candidate) bool {
	inUse := e.standard()
	switch {
	case c.use != nil:
		return false
	case !e.cfg.Auto, inUse == nil:
		return true
	case c.passed:
		return false
	}
	before := slices.IndexFunc(e.fleet, func(one *candidate) bool { return one == c || one.use == inUse })
	return inUse.report.Tier != plugins.TierFull || e.fleet[before] == c
}

// first is the first in use. e.mu is held.
func (e *Engine) first() *backend {
	for _, c := range e.fleet {
		if c.use != nil {
			return c.use
		}
	}
	return nil
}

// standard is first, or nil as long as the proof of one before it may still pass. e.mu is held.
func (e *Engine) standard() *backend {
	if e.undecided(app.Placement{}) {
		return nil
	}
	return e.first()
}

// chosen are the candidates to use: with Auto the strongest of those that passed, the earlier one of two; else all that passed. e.mu is held.
func (e *Engine) chosen() []*candidate {
	var list []*candidate
	for _, c := range e.fleet {
		switch {
		case !c.passed:
		case !e.cfg.Auto, len(list) == 0:
			list = append(list, c)
		case c.report.Tier == plugins.TierFull && list[0].report.Tier != plugins.TierFull:
			list[0] = c
		}
	}
	return list
}

// settle takes into use what was chosen and puts the rest out of it. Executions that run in what is put out go on in their boxes. The first proofs of what is
// named have ended: with the same step, so that nobody finds a backend neither being checked nor in use.
func (e *Engine) settle(tried ...*candidate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	for _, c := range tried {
		c.tried = true
	}
	chosen := e.chosen()
	for _, c := range e.fleet {
		in := slices.Contains(chosen, c)
		if c.use != nil && (!in || !c.use.report.PromisesAs(c.report)) {
			e.loops.Go(c.use.close)
			c.use = nil
		}
		if in && c.use == nil {
			c.use = e.newBackend(c)
			e.cfg.Log.Info("sandbox backend is ready", "backend", c.Name, "version", c.report.Version, "tier", c.report.Tier)
		}
	}
	e.share()
	e.reason = e.why()
	e.wakeUp()
	e.cfg.Hub.Publish(live.Sandbox)
}

// share gives the boxes that are kept ready to the default class, once it is known which that is. e.mu is held.
func (e *Engine) share() {
	first := e.standard()
	for _, c := range e.fleet {
		if c.use == nil {
			continue
		}
		n := 0
		if c.use == first {
			n = max(e.cfg.Pool, 0)
		}
		c.use.class("").resize(n)
	}
}

// why says why nothing is in use; "" if something is. e.mu is held.
func (e *Engine) why() string {
	if e.undecided(app.Placement{}) {
		return beingChecked
	}
	if e.first() != nil {
		return ""
	}
	if len(e.fleet) == 0 {
		return "no sandbox backend is configured; set AIRLOCK_SANDBOX"
	}
	var reasons []string
	for _, c := range e.fleet {
		if c.reason != "" {
			reasons = append(reasons, c.Name+": "+c.reason)
		}
	}
	return strings.Join(reasons, "; ")
}

func (e *Engine) newBackend(c *candidate) *backend {
	l := e.cfg.Limits
	b := &backend{name: c.Name, sandbox: c.Backend, report: c.report, ca: e.cfg.CA, runtime: e.cfg.Runtime, pools: map[string]*pool{}, known: map[string]Installed{}, forms: newCompiledForms(),
		limits: plugins.Limits{Memory: l.Memory, CPU: l.CPU, Pids: l.Pids, Tmp: l.Tmp, Files: l.Files}}
	failed := 0 // openings in a row
	var mu sync.Mutex
	b.opened = func() {
		mu.Lock()
		failed = 0
		mu.Unlock()
		e.recovered(c)
	}
	b.failed = func(err error) {
		e.cfg.Log.Warn("a sandbox could not be opened", "backend", c.Name, "error", err)
		mu.Lock()
		failed++
		n := failed
		mu.Unlock()
		if n == failuresLast {
			e.lapse(c, b, err)
		}
	}
	return b
}

// recovered is told of a box that opened.
func (e *Engine) recovered(c *candidate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.lapses = 0
}

// lapse puts a backend whose boxes don't open any more back to its proof. One that passes it time and again and opens nothing has to rest.
func (e *Engine) lapse(c *candidate, b *backend, err error) {
	e.mu.Lock()
	if c.use != b || e.closed {
		e.mu.Unlock()
		return
	}
	c.passed, c.reason = false, "sandboxes could not be opened any more; it is being checked again"
	if c.lapses++; c.lapses > lapsesLast {
		rest := min(checkFirst<<min(c.lapses, 10), checkLast)
		c.rest = e.now().Add(rest)
		c.reason = fmt.Sprintf("its proof passes but its boxes don't open (%v); it is tried again in %s", err, rest)
	}
	e.mu.Unlock()
	e.settle()
	select {
	case c.lapsed <- struct{}{}:
	default:
	}
}

// musterLoop takes a group's first proofs, and again those of what is not in use: at once when a backend lapsed, else now and then.
func (e *Engine) musterLoop(group []*candidate) {
	if len(group) == 0 {
		return
	}
	e.survey(e.ctx, group)
	wait := checkFirst
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait = min(2*wait, checkLast)
		case <-group[0].lapsed:
			wait = checkFirst
		case <-e.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		e.survey(e.ctx, group)
	}
}

// hurry has what is not in use proved again soon, since somebody needs it: the backend of a name, or with "" whatever there is. It reports whether anything
// will be. e.mu is held.
func (e *Engine) hurry(name string) bool {
	coming := false
	for _, c := range e.fleet {
		if name != "" && c.Name != name || !e.wanted(c) || e.now().Before(c.proved.Add(checkAsked)) || e.now().Before(c.rest) {
			continue
		}
		coming = true
		select {
		case c.lapsed <- struct{}{}:
		default:
		}
	}
	return coming
}

// Prove takes the proof of one backend again, or with "" of all, in use or not, and acts on its outcome. CodeNotFound if there is none of that name. A proof that has
// begun comes to its end when ctx does not let anybody wait for it any more; none is begun after it.
func (e *Engine) Prove(ctx context.Context, name string) error {
	found := false
	for _, c := range e.fleet {
		if name == "" || c.Name == name {
			found = true
			if c.proving.LockWithin(ctx) != nil { // nobody waits for it any more
				break
			}
			e.recovered(c) // whoever asks has done something about it
			e.proofAlone(e.ctx, c)
			c.proving.Unlock()
			e.settle() // at once: until then boxes are opened as the proof before promised them, and the next proof may take minutes
		}
	}
	if !found && name != "" {
		return app.E(app.CodeNotFound, fmt.Sprintf("there is no sandbox backend %q", app.Clip(name, 40)), "The sandbox page lists those that are configured.")
	}
	return context.Cause(ctx)
}

// runnable reports whether something can run now: see later for what can't yet.
func (e *Engine) runnable() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.draining && e.first() != nil
}

// refusing is why nothing is accepted now, or "".
func (e *Engine) refusing() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.draining:
		return beingStopped
	case e.closed:
		return e.reason
	case e.allTried() && e.first() == nil:
		e.hurry("")
		return e.reason
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
