package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

// place returns where a profile's scripts run: the first backend in use that is what the placement asks for. There is no second best: if none fits the error
// is CodeSandboxUnavailable and says what is missing.
func (e *Engine) place(p app.Placement) (*backend, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, known, image := e.fits(p)
	if c == nil {
		return nil, e.misplaced(p, known, image)
	}
	return c.use, nil
}

// fits returns the first in use that is what p asks for; nil if there is none, and then whether the backend that it names is known and whether only the image is
// missing. e.mu is held.
func (e *Engine) fits(p app.Placement) (fit *candidate, known, image bool) {
	for _, c := range e.fleet {
		if p.Backend != "" && c.Name != p.Backend {
			continue
		}
		known = true
		switch {
		case !c.strong(p):
		case !c.has(p.Image):
			image = true
		default:
			return c, true, false
		}
	}
	return nil, known, image
}

// strong reports whether a candidate is in use and isolates as well as p asks for. The Engine's mu is held.
func (c *candidate) strong(p app.Placement) bool {
	return c.use != nil && (p.MinTier != string(plugins.TierFull) || c.use.report.Tier == plugins.TierFull)
}

// has reports whether a candidate that is in use has the image; "" is the default one. The Engine's mu is held.
func (c *candidate) has(image string) bool {
	_, ok := c.use.report.Images[image]
	return ok || image == ""
}

// undecided reports whether a first proof that is not over may change what place returns. e.mu is held.
func (e *Engine) undecided(p app.Placement) bool {
	for _, c := range e.fleet {
		switch {
		case p.Backend != "" && c.Name != p.Backend:
		case !c.tried:
			return true
		case c.strong(p) && c.has(p.Image):
			return false
		}
	}
	return false
}

// allTried reports whether all first proofs are over. e.mu is held.
func (e *Engine) allTried() bool {
	return !slices.ContainsFunc(e.fleet, func(c *candidate) bool { return !c.tried })
}

// later lists the profiles whose waiting executions are not claimed yet: a first proof that is not over may decide where they run, or too many wait for a box there.
func (e *Engine) later(ctx context.Context, tx *store.Tx) (handles []string, err error) {
	e.mu.Lock()
	none := e.allTried() && !e.anyCrowded()
	e.mu.Unlock()
	if none {
		return nil, nil
	}
	places, err := tx.QueuedPlacements(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	for handle, p := range places {
		if e.undecided(p) || e.crowded(p) {
			handles = append(handles, handle)
		}
	}
	return handles, err
}

// misplaced words why nothing fits. e.mu is held. Why a backend did not pass its proof is for people: it tells of the host.
func (e *Engine) misplaced(p app.Placement, known, image bool) error {
	const ask = "Ask the operator to look at Airlock's sandbox page, which shows what is missing, or a person to change what the profile requires; then submit again."
	const soon = "It is being checked again now: submit again in a few seconds. If that doesn't help, ask the operator to look at Airlock's sandbox page, which shows what is missing."
	unavailable := func(format string, args ...any) error {
		hint := ask
		if e.hurry(p.Backend) {
			hint = soon
		}
		return app.E(app.CodeSandboxUnavailable, "the script was not run: "+fmt.Sprintf(format, args...), hint)
	}
	switch {
	case p.Backend != "" && !known:
		return unavailable("its profile requires the sandbox backend %s, which is not configured here", p.Backend)
	case e.first() == nil:
		return unavailable("no sandbox backend is in use")
	case image:
		return unavailable("its profile requires the image %s, which no fitting sandbox backend has", p.Image)
	case p.Backend != "" && p.MinTier == string(plugins.TierFull):
		return unavailable("its profile requires the sandbox backend %s with isolation full, which is not what it reaches here", p.Backend)
	case p.Backend != "":
		return unavailable("its profile requires the sandbox backend %s, which is not in use", p.Backend)
	}
	return unavailable("its profile requires isolation %s, which no sandbox backend in use reaches", p.MinTier)
}
