package sandbox

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
)

// Class names a kind of boxes, across proofs.
type Class struct {
	Backend, Image string
	Fresh          bool // not forked from a template, where others are
}

// Backend is a backend in use, with a pool of boxes per class. It is safe for concurrent use.
type Backend struct {
	name    string
	backend plugins.Sandbox
	report  plugins.Report
	limits  plugins.Limits
	runtime string // of boxes without an image of their own
	ca      []byte // PEM that every box trusts
	imports func() []string
	opened  func() // called for each box of the default image that opened
	failed  func(error)

	discovering sync.Mutex // held while boxes are opened only to see what is in them
	runners     *compiledRunners

	mu       sync.Mutex
	pools    map[Class]*pool
	packages map[string]Installed // by image; as boxes reported them
	afresh   bool                 // the last box of the default class was to be forked, and was not
	closed   bool
}

func newBackend(s *backendState, cfg Config) *Backend {
	return &Backend{
		name: s.Name, backend: s.Backend, report: s.report, ca: cfg.CA, runtime: cfg.Runtime, imports: cfg.Imports,
		pools: map[Class]*pool{}, packages: map[string]Installed{}, runners: newCompiledRunners(),
		limits: BoxLimits(cfg.Limits),
	}
}

// BoxLimits returns the limits that backends hold a box to.
func BoxLimits(l app.Limits) plugins.Limits {
	return plugins.Limits{Memory: l.Memory, CPU: l.CPU, Pids: l.Pids, Tmp: l.Tmp, Files: l.Files}
}

// Name is the backend's configured name.
func (b *Backend) Name() string { return b.name }

// Tier is how strongly its boxes isolate.
func (b *Backend) Tier() plugins.Tier { return b.report.Tier }

// Notes are sentences for agents about peculiarities of its boxes.
func (b *Backend) Notes() []string { return b.report.Notes }

// Identity names what is installed in boxes of an image.
func (b *Backend) Identity(image string) string {
	if image == "" {
		return b.report.Runtime
	}
	return b.report.Images[image]
}

// Class returns the class of boxes that a placement asks for.
func (b *Backend) Class(p app.Placement) Class {
	return Class{b.name, p.Image, p.Fresh && b.report.Templates}
}

// Take hands out a box of the class. The caller must run or close it. warm reports whether the box
// was ready. After patience, late is called once; it may be nil.
func (b *Backend) Take(
	ctx context.Context, class Class, patience time.Duration, late func(),
) (one *Box, warm bool, err error) {
	return b.pool(class).take(ctx, patience, late)
}

// TakeReady hands out a ready box of the class, or nil. The caller must run or close it.
func (b *Backend) TakeReady(class Class) *Box { return b.pool(class).takeReady() }

// standard is the class of boxes without special placement.
func (b *Backend) standard() Class { return Class{Backend: b.name} }

// pool returns the boxes of a class. Only the standard pool keeps some ready.
func (b *Backend) pool(class Class) *pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pools[class]; p != nil {
		return p
	}
	// A failure of another class doesn't discredit the backend. The waiting caller gets the error.
	failed := func(error) {}
	if class == b.standard() {
		failed = b.failed
	}
	p := newPool(0, runtime.NumCPU(), func(ctx context.Context) (*Box, error) { return b.open(ctx, class) }, failed)
	if b.closed {
		p.close()
	}
	b.pools[class] = p
	return p
}

// open starts a box of the class and waits until it is ready.
func (b *Backend) open(ctx context.Context, class Class) (*Box, error) {
	image := class.Image
	spec := plugins.Spec{Runtime: image, Limits: b.limits, Fresh: class.Fresh, Imports: b.imports()}
	if image == "" {
		spec.Runtime = b.runtime
	}
	opened, err := openBox(ctx, b.backend, spec, guest.Boot{CA: b.ca, Code: b.runners.get(image)})
	if err != nil {
		return nil, err
	}
	forked := opened.Session.Ready().Forked
	if forked && class.Fresh {
		opened.Close()
		return nil, errors.New("sandbox: the backend forked a box that has to be fresh")
	}
	if opened.Session.Ready().Compiled {
		// The compiling box is closed before this one is handed out, so an execution leaves nothing
		// behind.
		b.runners.compileOnce(ctx, image, func(ctx context.Context) ([]byte, error) { return b.compile(ctx, spec) })
	}
	b.recordPackages(image, opened)
	if class == b.standard() {
		b.mu.Lock()
		b.afresh = b.report.Templates && !forked
		b.mu.Unlock()
		b.opened()
	}
	return opened, nil
}

// compile opens a box only to compile the guest's runner.
func (b *Backend) compile(ctx context.Context, spec plugins.Spec) ([]byte, error) {
	one, err := openBox(ctx, b.backend, spec, guest.Boot{CA: b.ca, Compile: true})
	if err != nil {
		return nil, err
	}
	defer one.Close()
	return one.Session.Ready().Code, nil
}

// opensAfresh reports whether the last box was not forked although it should have been.
func (b *Backend) opensAfresh() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.afresh
}

func (b *Backend) readyCount() int {
	n := 0
	for _, p := range b.allPools() {
		n += p.readyCount()
	}
	return n
}

func (b *Backend) allPools() []*pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.pools))
}

// close ends every box that was not handed out and waits for them. Running boxes go on.
func (b *Backend) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	for _, p := range b.allPools() {
		p.close()
	}
}

// matches reports whether the backend has the placement's tier and image.
func (b *Backend) matches(p app.Placement) (tier, image bool) {
	_, image = b.report.Images[p.Image]
	tier = p.MinTier != string(plugins.TierFull) || b.report.Tier == plugins.TierFull
	return tier, image || p.Image == ""
}
