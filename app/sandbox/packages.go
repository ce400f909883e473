package sandbox

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Installed lists the packages of one class of boxes, as a fresh box reported them.
type Installed struct {
	Backend  string
	Image    string // "" is the backend's default
	Default  bool   // used unless a profile requires another
	Python   string // "" until a box of the class has opened; Packages is nil then
	Packages []Package
	Modules  []string // what can be imported, the standard library included; nil if that is not known
}

// Label names the boxes: the backend, and any image but the default.
func (i Installed) Label() string {
	if i.Image == "" {
		return i.Backend
	}
	return i.Backend + " with the image " + i.Image
}

// HasModule reports whether a script can import a module, where Modules are known.
func (i Installed) HasModule(name string) bool {
	_, has := slices.BinarySearch(i.Modules, name)
	return has
}

// Package is one installed distribution.
type Package struct{ Name, Version string }

// Packages lists importable packages per backend in use and image, default class first. Unknown
// classes are explored in the background, for the next call.
func (m *Manager) Packages() (list []Installed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	standard := m.standardLocked()
	for _, s := range m.backends {
		m.discoverLocked(s.active)
		if s.active != nil {
			list = append(list, s.active.listInstalled(s.active == standard)...)
		}
	}
	return list
}

// InstalledFor returns the packages of the boxes that Place would choose. If unknown, ok is false
// and they are explored in the background.
func (m *Manager) InstalledFor(p app.Placement) (i Installed, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, _, _ := m.findLocked(p)
	if b == nil || m.undecidedLocked(p) {
		return i, false
	}
	for _, i := range b.listInstalled(false) {
		if i.Image == p.Image && i.Modules != nil {
			return i, true
		}
	}
	m.discoverLocked(b)
	return i, false
}

func (m *Manager) discoverLocked(b *Backend) {
	if b != nil && !m.stopped {
		m.loops.Go(func() { b.discoverPackages(m.ctx) })
	}
}

func (b *Backend) listInstalled(standard bool) (list []Installed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, image := range b.images() {
		one := b.packages[image]
		one.Backend, one.Image, one.Default = b.name, image, image == "" && standard
		list = append(list, one)
	}
	return list
}

// images lists the backend's images, the default one first.
func (b *Backend) images() []string {
	return append([]string{""}, slices.Sorted(maps.Keys(b.report.Images))...)
}

func (b *Backend) recordPackages(image string, opened *Box) {
	ready := opened.Session.Ready()
	list := make([]Package, 0, len(ready.Installed))
	for _, line := range ready.Installed {
		if name, version, ok := strings.Cut(line, "=="); ok {
			list = append(list, Package{name, version})
		}
	}
	now := Installed{Python: ready.Python, Packages: list, Modules: slices.Sorted(slices.Values(ready.Modules))}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.packages[image] = now
}

// discoverPackages opens a box of each class that has not reported its packages. A class whose
// boxes don't open stays unknown.
func (b *Backend) discoverPackages(ctx context.Context) {
	if !b.discovering.TryLock() {
		return
	}
	defer b.discovering.Unlock()
	for _, image := range b.images() {
		p := b.pool(Class{Backend: b.name, Image: image})
		b.mu.Lock()
		known := b.packages[image].Python != ""
		b.mu.Unlock()
		if known || p.keepsReady() || ctx.Err() != nil {
			continue
		}
		if one, _, err := p.take(ctx, 0, nil); err == nil {
			one.Close()
		}
	}
}
