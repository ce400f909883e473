package sandbox

// What tests outside of the package need.
const (
	BeingChecked  = beingChecked
	MaxRelapses   = maxRelapses
	ProbeInterval = probeInterval
)

// DueNames names the backends due for a proof.
func (m *Manager) DueNames() (names []string) {
	for _, s := range m.listDue(m.backends) {
		names = append(names, s.Name)
	}
	return names
}

// RequestProbe requests a proof of a backend and reports whether it will follow.
func (m *Manager) RequestProbe(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requestProbeLocked(name)
}

// FirstIdentity is the identity of the first backend in use.
func (m *Manager) FirstIdentity() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.firstLocked().Identity("")
}

// PeekReady returns the first backend's oldest ready box, without taking it.
func (m *Manager) PeekReady() *Box {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.firstLocked().pool(m.firstLocked().standard())
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready[0]
}
