package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"golang.org/x/sync/errgroup"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/initbin"
	"github.com/computclaw/airlock/plugins/owner"
)

// Name is the backend's name.
const Name = "docker"

// Backend implements plugins.Sandbox and plugins.Meter. Make one with New.
type Backend struct {
	guest   func(goarch string) ([]byte, error)
	remover *errgroup.Group // of containers whose boxes have ended

	ready plugins.Readiness[host]
	boxes plugins.Boxes[*box]
}

// Option changes how New makes a Backend.
type Option func(*Backend)

// WithGuest puts another program than the embedded airlock-init into boxes. It must be a static
// executable for the engine's architecture. It exists for conformance tests.
func WithGuest(binary []byte) Option {
	return func(b *Backend) { b.guest = func(string) ([]byte, error) { return binary, nil } }
}

// New returns a backend that isn't configured yet.
func New(options ...Option) *Backend {
	b := &Backend{guest: initbin.For, remover: &errgroup.Group{}}
	b.remover.SetLimit(maxBehind)
	for _, option := range options {
		option(b)
	}
	return b
}

type host struct {
	*engine
	guest    func(goarch string) ([]byte, error)
	remover  *errgroup.Group
	instance string
	owner    owner.ID
	settings settings
	images   []*image          // those that are there, in the operator's order
	missing  map[string]error  // those that aren't, by name
	profiles map[string]string // call filters by architecture
	// makes one in every box, to see whether the probe finds it; nil but in tests
	hole func(*container.Config, *container.HostConfig)
}

var _ io.Closer = (*Backend)(nil) // which plugins.Serve looks for

// Close waits a moment for the removal of ended boxes' containers. The next Check sweeps the rest.
// No Run may be in progress.
func (b *Backend) Close() error {
	done := make(chan struct{})
	go func() {
		_ = b.remover.Wait() // it never fails
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closeTime):
	}
	return nil
}

// maxBehind is how many ended containers may wait for removal. Beyond it, their boxes wait too.
const maxBehind = 16

// closeTime is less than what a host waits for a plugin to end.
const closeTime = 1500 * time.Millisecond

// Run implements plugins.Sandbox. If a box ended by itself, its empty container may be removed
// shortly after Run has returned.
func (b *Backend) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	h, err := b.ready.Host(Name)
	if err != nil {
		return plugins.Exit{}, err
	}
	i, err := h.image(spec.Runtime)
	if err != nil {
		return plugins.Exit{}, err
	}
	box, err := h.newBox(spec)
	if err != nil {
		return plugins.Exit{}, err
	}
	if err := b.boxes.Enter(spec.ID, box); err != nil {
		return plugins.Exit{}, fmt.Errorf("docker: %w", err)
	}
	defer b.boxes.Leave(spec.ID)
	return box.run(ctx, i, plugins.GuestArgv, stdin, stdout)
}

var _ plugins.Meter = (*Backend)(nil)

// Usage implements plugins.Meter for an engine on this host. Other engines' counters are too old
// and too expensive.
func (b *Backend) Usage(_ context.Context, id string) (plugins.Usage, error) {
	box, open := b.boxes.Get(id)
	if !open {
		return plugins.Usage{}, errors.New("docker: no such box is open")
	}
	u, ok := box.meter.now()
	if !ok {
		return plugins.Usage{}, errors.New("docker: the counters of this box can't be read here")
	}
	return plugins.Usage{PeakMemory: u.peak, CPUTime: u.cpu, LimitHit: u.full || u.oom}, nil
}

// image returns the image of a runtime: a listed name or id, or "" for the first.
func (h *host) image(runtime string) (*image, error) {
	for _, i := range h.images {
		if runtime == "" || runtime == i.name || runtime == i.id {
			return i, nil
		}
	}
	if err := h.missing[runtime]; err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("runtime %q is none of the images in AIRLOCK_DOCKER_IMAGE: %s", runtime,
		strings.Join(h.settings.images, ", "))
}
