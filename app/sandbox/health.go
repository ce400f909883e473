package sandbox

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
)

// Health is the state of the backends for /health and the UI.
type Health struct {
	Ready    bool
	Checking bool     // first proofs that decide about the default backend are being taken
	Backend  string   // the default one; "" if none is in use
	Tier     string   // its tier
	Notes    []string // of its report: what scripts find different in its boxes
	Reason   string   // why not ready and what to do
	Backends []BackendHealth
	Warm     int // boxes ready
}

// BackendHealth is one configured backend and how its last proof ended.
type BackendHealth struct {
	Name     string
	Checking bool // its first proof is being taken, or is about to be
	InUse    bool
	Default  bool
	Passed   bool              // its proof; not in use if Auto found a stronger one
	Reason   string            // why it did not pass, and what to do
	Again    bool              // it is not in use, and is proved again at intervals
	Proved   time.Time         // zero: not yet
	Images   map[string]string // that profiles may choose, with their identities
	Report   plugins.Report
	Warm     int
	Afresh   bool // boxes are opened afresh that are to be forked from a template
}

// Health reports the state now.
func (m *Manager) Health() Health {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := Health{Reason: m.whyUnavailableLocked(), Checking: m.undecidedLocked(app.Placement{})}
	standard := m.standardLocked()
	if standard != nil {
		h.Ready, h.Backend, h.Tier = true, standard.name, string(standard.report.Tier)
		h.Notes = standard.report.Notes
	}
	for _, s := range m.backends {
		b := m.backendHealthLocked(s, standard)
		h.Backends = append(h.Backends, b)
		h.Warm += b.Warm
	}
	return h
}

func (m *Manager) backendHealthLocked(s *backendState, standard *Backend) BackendHealth {
	b := BackendHealth{
		Name: s.Name, Checking: !s.decided && !m.stopped, InUse: s.active != nil,
		Default: s.active != nil && s.active == standard, Passed: s.passed, Reason: s.reason,
		Again: s.decided && m.wantedLocked(s), Proved: s.proved, Images: s.report.Images, Report: s.report,
	}
	if s.active != nil {
		b.Warm, b.Afresh = s.active.readyCount(), s.active.opensAfresh()
		b.adoptNewerProof(s.Backend)
	}
	return b
}

// selfProving is a backend that can prove its controls again by itself.
type selfProving interface {
	Proof() (plugins.Report, time.Time)
}

// adoptNewerProof takes over the proof of a backend's restarted process.
func (b *BackendHealth) adoptNewerProof(backend plugins.Sandbox) {
	p, ok := backend.(selfProving)
	if !ok {
		return
	}
	if report, at := p.Proof(); at.After(b.Proved) {
		b.Proved, b.Report, b.Images = at, report, report.Images
	}
}
