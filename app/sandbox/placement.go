package sandbox

import (
	"fmt"
	"maps"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
)

// Place returns the first backend in use that meets a placement. Without one the error is
// CodeSandboxUnavailable and says what is missing.
func (m *Manager) Place(p app.Placement) (*Backend, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, known, imageMissing := m.findLocked(p)
	if b == nil {
		return nil, m.placementErrorLocked(p, known, imageMissing)
	}
	return b, nil
}

// ClassOf returns the class that Place would choose now; ok is false without one.
func (m *Manager) ClassOf(p app.Placement) (c Class, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, _, _ := m.findLocked(p)
	if b == nil {
		return c, false
	}
	return b.Class(p), true
}

// ImagesFor lists the images that boxes of a placement may have, ignoring its own image.
func (m *Manager) ImagesFor(p app.Placement) (images []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Image = ""
	for _, s := range m.backends {
		if s.active == nil || p.Backend != "" && s.Name != p.Backend {
			continue
		}
		if tier, _ := s.active.matches(p); tier {
			images = slices.AppendSeq(images, maps.Keys(s.active.report.Images))
		}
	}
	slices.Sort(images)
	return slices.Compact(images)
}

// IsUndecided reports whether an unfinished first proof may change what Place returns.
func (m *Manager) IsUndecided(p app.Placement) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.undecidedLocked(p)
}

func (m *Manager) undecidedLocked(p app.Placement) bool {
	for _, s := range m.backends {
		if p.Backend != "" && s.Name != p.Backend {
			continue
		}
		if !s.decided {
			return true
		}
		if s.active != nil {
			if tier, image := s.active.matches(p); tier && image {
				return false
			}
		}
	}
	return false
}

// findLocked returns the first backend in use that meets p, or nil. known: p's backend is
// configured. imageMissing: only the image is missing.
func (m *Manager) findLocked(p app.Placement) (found *Backend, known, imageMissing bool) {
	for _, s := range m.backends {
		if p.Backend != "" && s.Name != p.Backend {
			continue
		}
		known = true
		if s.active == nil {
			continue
		}
		switch tier, image := s.active.matches(p); {
		case tier && image:
			return s.active, true, false
		case tier:
			imageMissing = true
		}
	}
	return nil, known, imageMissing
}

// placementErrorLocked explains why nothing fits. It omits reasons of failed proofs: they reveal
// the host to agents.
func (m *Manager) placementErrorLocked(p app.Placement, known, imageMissing bool) error {
	var problem string
	switch {
	case p.Backend != "" && !known:
		problem = fmt.Sprintf("its profile requires the sandbox backend %s, which is not configured here", p.Backend)
	case m.firstLocked() == nil:
		problem = "no sandbox backend is in use"
	case imageMissing:
		problem = fmt.Sprintf("its profile requires the image %s, which no fitting sandbox backend has", p.Image)
	case p.Backend != "" && p.MinTier == string(plugins.TierFull):
		problem = fmt.Sprintf("its profile requires the sandbox backend %s with isolation full, "+
			"which is not what it reaches here", p.Backend)
	case p.Backend != "":
		problem = fmt.Sprintf("its profile requires the sandbox backend %s, which is not in use", p.Backend)
	default:
		problem = fmt.Sprintf("its profile requires isolation %s, which no sandbox backend in use reaches", p.MinTier)
	}
	hint := "Ask the operator to look at Airlock's sandbox page, which shows what is missing, " +
		"or a person to change what the profile requires; then submit again."
	if m.requestProbeLocked(p.Backend) {
		hint = "It is being checked again now: submit again in a few seconds. If that doesn't help, " +
			"ask the operator to look at Airlock's sandbox page, which shows what is missing."
	}
	return app.E(app.CodeSandboxUnavailable, "the script was not run: "+problem, hint)
}
