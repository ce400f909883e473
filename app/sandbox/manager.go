package sandbox

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/plugins"
)

// BackendConfig is one configured backend.
type BackendConfig struct {
	Name    string
	Backend plugins.Sandbox
	Config  plugins.Config
}

// Config configures a Manager. All fields but Auto, Runtime and CA must be set.
type Config struct {
	Backends []BackendConfig // in order of preference
	Auto     bool            // use only the strongest one that passes
	Limits   app.Limits
	Runtime  string // of boxes without an image of their own; "" means the backend's default
	CA       []byte // PEM that scripts trust besides their runtime's own roots
	Pool     int    // boxes kept ready; negative: none
	Hub      *live.Hub
	Log      *slog.Logger
	Now      func() time.Time // in UTC

	// Imports returns the modules that templates have loaded, sorted.
	Imports func() []string
	// Changed is called when the backends in use may have changed. It must not call the Manager.
	Changed func()
}

// Manager knows the working backends and hands out their boxes. It is safe for concurrent use.
type Manager struct {
	cfg    Config
	ctx    context.Context // ends when Stop is called
	cancel context.CancelFunc
	loops  sync.WaitGroup

	mu       sync.Mutex
	backends []*backendState // in the configured order; the list itself never changes
	retired  []*Backend      // in use until Stop
	stopped  bool
}

// backendState is a configured backend: its last proof and, while in use, its boxes.
type backendState struct {
	BackendConfig
	proving      *semaphore.Weighted // held during a proof
	probeRequest chan struct{}       // shared by a probe group; receives when it should be probed at once

	// The Manager's mu guards what follows.

	report  plugins.Report // of the last proof, passed or not
	reason  string         // why it did not pass; "" if it did
	proved  time.Time      // when the last proof ended; zero if there was none yet
	passed  bool
	decided bool      // its first proof was taken into account, or with Auto needn't be taken
	active  *Backend  // nil while it is not in use
	relapse int       // times in a row that boxes could not be opened although the proof had passed
	rest    time.Time // not probed again by itself before that
}

// New returns a Manager without any backend in use: see Start.
func New(cfg Config) *Manager {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Manager{cfg: cfg, ctx: ctx, cancel: cancel}
	for _, b := range cfg.Backends {
		m.backends = append(m.backends, &backendState{BackendConfig: b, proving: semaphore.NewWeighted(1)})
	}
	for _, group := range m.probeGroups() {
		request := make(chan struct{}, 1)
		for _, s := range group {
			s.probeRequest = request
		}
	}
	return m
}

// Start begins to prove the backends, in the background.
func (m *Manager) Start() {
	for _, group := range m.probeGroups() {
		m.loops.Go(func() { m.probeLoop(group) })
	}
}

// Stop takes all backends out of use and ends the proofs. Ready boxes stay until Close.
func (m *Manager) Stop() {
	m.mu.Lock()
	m.stopped = true
	for _, s := range m.backends {
		if s.active != nil {
			m.retired = append(m.retired, s.active)
			s.active = nil
		}
	}
	m.mu.Unlock()
	m.cancel()
}

// Close ends every box that was not handed out. It must follow Stop.
func (m *Manager) Close() {
	m.loops.Wait()
	for _, b := range m.retired {
		b.close()
	}
}

// Available reports whether a backend is in use.
func (m *Manager) Available() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.firstLocked() != nil
}

// Unavailable returns why no backend is in use, or "". It requests new proofs. While proofs are
// undecided it is "".
func (m *Manager) Unavailable() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.allDecidedLocked() || m.firstLocked() != nil {
		return ""
	}
	m.requestProbeLocked("")
	return m.whyUnavailableLocked()
}

// IsDecided reports whether the first proofs of all backends are over.
func (m *Manager) IsDecided() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.allDecidedLocked()
}

func (m *Manager) allDecidedLocked() bool {
	return !slices.ContainsFunc(m.backends, func(s *backendState) bool { return !s.decided })
}
