package sandbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
)

const (
	probeWithin   = 2 * time.Minute // docker takes 5 s, and ten times that on a slow machine that is busy
	probeFirst    = 5 * time.Second // after a proof failed, doubled up to probeLast
	probeLast     = 5 * time.Minute
	probeInterval = 10 * time.Second // from a failed proof to the next that an execution asks for
	maxFailures   = 3                // openings in a row; then the backend is probed again
	maxRelapses   = 2                // proofs that pass although no box opens afterwards; then it has to rest
)

// probeGroups returns the backends whose proofs depend on each other. With Auto that is all; else
// each is its own group, so a slow one delays no other.
func (m *Manager) probeGroups() [][]*backendState {
	switch {
	case len(m.backends) == 0:
		return nil
	case m.cfg.Auto:
		return [][]*backendState{m.backends}
	}
	return slices.Collect(slices.Chunk(m.backends, 1))
}

// probeLoop takes a group's first proofs, and later those of unused backends. Those follow on
// request, or at growing intervals.
func (m *Manager) probeLoop(group []*backendState) {
	m.probeGroup(group)
	wait := probeFirst
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait = min(2*wait, probeLast)
		case <-group[0].probeRequest:
			wait = probeFirst
		case <-m.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		m.probeGroup(group)
	}
}

// probeGroup proves a group's due backends and selects anew. With Auto it stops at the first of
// tier full.
func (m *Manager) probeGroup(group []*backendState) {
	for _, s := range m.listDue(group) {
		if s.proving.Acquire(m.ctx, 1) != nil {
			break
		}
		tier := m.prove(s)
		s.proving.Release(1)
		if tier == plugins.TierFull {
			break
		}
	}
	m.selectActive(group...)
}

// listDue returns a group's backends that should be proved without a request.
func (m *Manager) listDue(group []*backendState) (list []*backendState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range group {
		if m.wantedLocked(s) && !m.cfg.Now().Before(s.rest) {
			list = append(list, s)
		}
	}
	return list
}

// wantedLocked reports whether an unused backend would be used if it passed.
//
// With Auto it must have failed or been marked unhealthy, and be preferable to the one in use. One
// that passed and is not used has lost already.
func (m *Manager) wantedLocked(s *backendState) bool {
	standard := m.standardLocked()
	switch {
	case s.active != nil:
		return false
	case !m.cfg.Auto, standard == nil:
		return true
	case s.passed:
		return false
	}
	first := slices.IndexFunc(m.backends, func(one *backendState) bool { return one == s || one.active == standard })
	return standard.report.Tier != plugins.TierFull || m.backends[first] == s
}

// requestProbeLocked requests proofs of unused backends: the named one, or all with "". It reports
// whether any will follow.
func (m *Manager) requestProbeLocked(name string) bool {
	coming := false
	now := m.cfg.Now()
	for _, s := range m.backends {
		tooSoon := now.Before(s.proved.Add(probeInterval)) || now.Before(s.rest)
		if name != "" && s.Name != name || !m.wantedLocked(s) || tooSoon {
			continue
		}
		coming = true
		s.requestProbe()
	}
	return coming
}

func (s *backendState) requestProbe() {
	select {
	case s.probeRequest <- struct{}{}:
	default:
	}
}

// Prove proves one backend again, or all with "", and acts on it.
//
// A proof that has begun is completed even if ctx ends; none begins after that. Errors:
// CodeNotFound for an unknown name, and the cause of ctx.
func (m *Manager) Prove(ctx context.Context, name string) error {
	found := false
	for _, s := range m.backends {
		if name != "" && s.Name != name {
			continue
		}
		found = true
		if s.proving.Acquire(ctx, 1) != nil {
			break
		}
		m.resetRelapse(s) // the caller has done something about it
		m.prove(s)
		s.proving.Release(1)
		// At once: boxes still open as the old proof promised, and the next proof may take minutes.
		m.selectActive()
	}
	if !found && name != "" {
		return app.E(app.CodeNotFound, fmt.Sprintf("there is no sandbox backend %q", app.Clip(name, 40)),
			"The sandbox page lists those that are configured.")
	}
	return context.Cause(ctx)
}

// prove takes the backend's proof; selectActive acts on it. The caller holds s.proving. It returns
// the proved tier, or none.
func (m *Manager) prove(s *backendState) plugins.Tier {
	ctx, cancel := context.WithTimeout(m.ctx, probeWithin)
	defer cancel()
	report, err := s.Backend.Check(ctx, s.Config)
	if m.ctx.Err() != nil {
		return plugins.TierNone // interrupted: it says nothing about the backend
	}
	reason := whyUnusable(report, err)
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := reason != s.reason
	s.report, s.reason, s.passed, s.proved = report, reason, reason == "", m.cfg.Now()
	if reason == "" {
		return report.Tier
	}
	if changed { // not each time that it is tried again
		m.cfg.Log.WarnContext(ctx, "sandbox backend is not ready", "backend", s.Name, "reason", reason)
	}
	return plugins.TierNone
}

// whyUnusable says why a backend with this report is unusable, or "".
func whyUnusable(report plugins.Report, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("its check failed: %v", err)
	case !report.Ready && report.Reason == "":
		return "it is not ready and doesn't say why"
	case !report.Ready:
		return report.Reason
	case report.Tier != plugins.TierFull && report.Tier != plugins.TierRestricted:
		return "its isolation is too weak to run scripts"
	}
	return whyIdentityTooLong(report)
}

// maxIdentity bounds the bytes that name a box's contents. Each manifest has them, and backups
// refuse one that would fill a page.
const maxIdentity = 1 << 10

// whyIdentityTooLong checks the report's names, which a plugin or another machine may forge.
func whyIdentityTooLong(report plugins.Report) string {
	if len(report.Runtime) > maxIdentity {
		return fmt.Sprintf("the identity of its runtime is longer than %d bytes", maxIdentity)
	}
	for name, id := range report.Images {
		if len(name) > maxIdentity || len(id) > maxIdentity {
			return fmt.Sprintf("the image %q or its identity is longer than %d bytes", app.Clip(name, 60), maxIdentity)
		}
	}
	return ""
}

// resetRelapse forgets that proofs passed without a box opening afterwards.
func (m *Manager) resetRelapse(s *backendState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.relapse = 0
}

// markUnhealthy takes a backend out of use and requests a proof. One that keeps passing without
// opening boxes has to rest.
func (m *Manager) markUnhealthy(s *backendState, b *Backend, err error) {
	m.mu.Lock()
	if s.active != b || m.stopped {
		m.mu.Unlock()
		return
	}
	s.passed, s.reason = false, "sandboxes could not be opened any more; it is being checked again"
	if s.relapse++; s.relapse > maxRelapses {
		rest := min(probeFirst<<min(s.relapse, 10), probeLast)
		s.rest = m.cfg.Now().Add(rest)
		s.reason = fmt.Sprintf("its proof passes but its boxes don't open (%v); it is tried again in %s", err, rest)
	}
	m.mu.Unlock()
	m.selectActive()
	s.requestProbe()
}
