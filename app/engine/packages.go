package engine

import (
	"context"
	"strings"
)

// Installed is what boxes of one class have besides the standard library, as one of them said before it met a script.
type Installed struct {
	Backend  string
	Image    string // "" is the backend's default
	Default  bool   // used unless a profile requires another
	Python   string // "" until a box of the class has opened; Packages is nil then
	Packages []Package
}

// Package is one installed distribution.
type Package struct{ Name, Version string }

// learn keeps what a box says about its runtime.
func (b *backend) learn(image string, opened *box) {
	ready := opened.session.Ready()
	list := make([]Package, 0, len(ready.Installed))
	for _, line := range ready.Installed {
		if name, version, ok := strings.Cut(line, "=="); ok {
			list = append(list, Package{name, version})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[image] = Installed{Python: ready.Python, Packages: list}
}

// acquaint opens a box of each class that keeps none ready and no box has told of yet, so that what they have is known to the next who asks. A class
// whose boxes don't open stays unknown: whoever wants one is told why.
func (b *backend) acquaint(ctx context.Context) {
	if !b.acquainting.TryLock() {
		return
	}
	defer b.acquainting.Unlock()
	for _, image := range append([]string{""}, sortedKeys(b.report.Images)...) {
		p := b.class(image)
		b.mu.Lock()
		known := b.known[image].Python != ""
		b.mu.Unlock()
		if known || p.keeps() || ctx.Err() != nil {
			continue
		}
		if one, _, err := p.take(ctx, 0, nil); err == nil {
			one.close()
		}
	}
}

// Packages lists what scripts can import, per backend in use and image; the default class comes first. What isn't known yet is found out, for the next call.
func (e *Engine) Packages() []Installed {
	e.mu.Lock()
	first := e.standard()
	var uses []*backend
	for _, c := range e.fleet {
		if b := c.use; b != nil {
			uses = append(uses, b)
			if !e.closed {
				e.loops.Go(func() { b.acquaint(e.ctx) })
			}
		}
	}
	e.mu.Unlock()
	var list []Installed
	for _, b := range uses {
		b.mu.Lock()
		for _, image := range append([]string{""}, sortedKeys(b.report.Images)...) {
			one := b.known[image]
			one.Backend, one.Image, one.Default = b.name, image, image == "" && b == first
			list = append(list, one)
		}
		b.mu.Unlock()
	}
	return list
}
