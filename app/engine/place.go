package engine

import (
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
)

// place returns where a profile's scripts run: the first backend in use that is what the placement asks for. There is no second best: if none fits the error
// is CodeSandboxUnavailable and says what is missing.
func (e *Engine) place(p app.Placement) (*backend, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known, image := false, false
	for _, c := range e.fleet {
		if p.Backend != "" && c.Name != p.Backend {
			continue
		}
		known = true
		if c.use == nil || p.MinTier == string(plugins.TierFull) && c.use.report.Tier != plugins.TierFull {
			continue
		}
		if _, ok := c.use.report.Images[p.Image]; p.Image != "" && !ok {
			image = true
			continue
		}
		return c.use, nil
	}
	return nil, e.misplaced(p, known, image)
}

// misplaced words why nothing fits. e.mu is held. Why a backend did not pass its proof is for people: it tells of the host.
func (e *Engine) misplaced(p app.Placement, known, image bool) error {
	const ask = "Ask the operator to look at Airlock's sandbox page, which shows what is missing, or a person to change what the profile requires; then submit again."
	unavailable := func(format string, args ...any) error {
		return app.E(app.CodeSandboxUnavailable, "the script was not run: "+fmt.Sprintf(format, args...), ask)
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
