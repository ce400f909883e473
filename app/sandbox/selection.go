package sandbox

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/plugins"
)

// beingChecked explains why nothing runs while the default backend is undecided.
const beingChecked = "the sandbox is being checked"

// selectActive puts the chosen backends into use and the others out of it. Executions go on in
// their boxes.
//
// The first proofs of those in probed count as decided from the same step on, so a backend is
// always either being checked or decided.
func (m *Manager) selectActive(probed ...*backendState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return
	}
	for _, s := range probed {
		s.decided = true
	}
	chosen := m.chooseLocked()
	for _, s := range m.backends {
		in := slices.Contains(chosen, s)
		if s.active != nil && (!in || !s.active.report.PromisesAs(s.report)) {
			m.loops.Go(s.active.close)
			s.active = nil
		}
		if in && s.active == nil {
			s.active = m.activateLocked(s)
		}
	}
	m.resizePoolsLocked()
	m.cfg.Changed()
	m.cfg.Hub.Publish(live.Sandbox)
}

// chooseLocked returns the backends to use: all that passed, or Auto's strongest. Of equals it
// takes the earlier.
func (m *Manager) chooseLocked() []*backendState {
	var list []*backendState
	for _, s := range m.backends {
		switch {
		case !s.passed:
		case !m.cfg.Auto, len(list) == 0:
			list = append(list, s)
		case s.report.Tier == plugins.TierFull && list[0].report.Tier != plugins.TierFull:
			list[0] = s
		}
	}
	return list
}

// activateLocked makes a backend that passed its proof ready for boxes.
func (m *Manager) activateLocked(s *backendState) *Backend {
	b := newBackend(s, m.cfg)
	var failures atomic.Int64 // in a row
	b.opened = func() {
		failures.Store(0)
		m.resetRelapse(s)
	}
	b.failed = func(err error) {
		m.cfg.Log.Warn("could not open a sandbox", "backend", s.Name, "error", err)
		if failures.Add(1) == maxFailures {
			m.markUnhealthy(s, b, err)
		}
	}
	m.cfg.Log.Info("sandbox backend is ready", "backend", s.Name, "version", s.report.Version, "tier", s.report.Tier)
	return b
}

// resizePoolsLocked keeps boxes ready only for the default backend, once decided.
func (m *Manager) resizePoolsLocked() {
	standard := m.standardLocked()
	for _, s := range m.backends {
		if s.active == nil {
			continue
		}
		n := 0
		if s.active == standard {
			n = max(m.cfg.Pool, 0)
		}
		s.active.pool(s.active.standard()).resize(n)
	}
}

// firstLocked returns the first backend in use, or nil.
func (m *Manager) firstLocked() *Backend {
	for _, s := range m.backends {
		if s.active != nil {
			return s.active
		}
	}
	return nil
}

// standardLocked returns the default backend, or nil while an earlier one may pass.
func (m *Manager) standardLocked() *Backend {
	if m.undecidedLocked(app.Placement{}) {
		return nil
	}
	return m.firstLocked()
}

// whyUnavailableLocked says why nothing is in use; "" if something is.
func (m *Manager) whyUnavailableLocked() string {
	switch {
	case m.undecidedLocked(app.Placement{}):
		return beingChecked
	case m.firstLocked() != nil:
		return ""
	case len(m.backends) == 0:
		return "no sandbox backend is configured; set AIRLOCK_SANDBOX"
	}
	var reasons []string
	for _, s := range m.backends {
		if s.reason != "" {
			reasons = append(reasons, s.Name+": "+s.reason)
		}
	}
	return strings.Join(reasons, "; ")
}
