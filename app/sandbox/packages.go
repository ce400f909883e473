package sandbox

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Installed is what boxes of one class have besides the standard library, as a fresh box reported
// it.
type Installed struct {
	Backend  string
	Image    string // "" is the backend's default
	Default  bool   // used unless a profile requires another
	Python   string // "" until a box of the class has opened; Packages is nil then
	Packages []Package
}

// Package is one installed distribution.
type Package struct{ Name, Version string }

// Packages lists what scripts can import, per backend in use and image; the default class comes
// first. Classes that are not known yet are looked into in the background, for the next call.
func (m *Manager) Packages() []Installed {
	m.mu.Lock()
	standard := m.standardLocked()
	var active []*Backend
	for _, s := range m.backends {
		if b := s.active; b != nil {
			active = append(active, b)
			if !m.stopped {
				m.loops.Go(func() { b.discoverPackages(m.ctx) })
			}
		}
	}
	m.mu.Unlock()
	var list []Installed
	for _, b := range active {
		list = append(list, b.installed(b == standard)...)
	}
	return list
}

func (b *Backend) installed(standard bool) (list []Installed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, image := range b.images() {
		one := b.packages[image]
		one.Backend, one.Image, one.Default = b.name, image, image == "" && standard
		list = append(list, one)
	}
	return list
}

// images lists the images of the backend's boxes, the default one first.
func (b *Backend) images() []string {
	return append([]string{""}, slices.Sorted(maps.Keys(b.report.Images))...)
}

// recordPackages keeps what a box reports about its runtime.
func (b *Backend) recordPackages(image string, opened *Box) {
	ready := opened.Session.Ready()
	list := make([]Package, 0, len(ready.Installed))
	for _, line := range ready.Installed {
		if name, version, ok := strings.Cut(line, "=="); ok {
			list = append(list, Package{name, version})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.packages[image] = Installed{Python: ready.Python, Packages: list}
}

// discoverPackages opens a box of each class that keeps none ready and has not reported its packages
// yet. A class whose boxes don't open stays unknown: an execution that needs one gets the reason.
func (b *Backend) discoverPackages(ctx context.Context) {
	if !b.discovering.TryLock() {
		return
	}
	defer b.discovering.Unlock()
	for _, image := range b.images() {
		p := b.pool(image)
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
