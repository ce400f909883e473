package landlock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"sync"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/initbin"
	"github.com/computclaw/airlock/plugins/landlock/door"
)

// Name is the backend's name.
const Name = "landlock"

// Backend implements plugins.Sandbox. Make one with New, one per process.
type Backend struct {
	guest   func() ([]byte, error)
	maxABI  int
	uids    *uids
	wardens *wardens

	checking sync.Mutex // one Check at a time

	mu         sync.Mutex
	host       *host    // of the last successful Check
	guestFile  *os.File // shared by all boxes
	wardenFile *os.File
	live       map[string]bool // ids of boxes that are open
}

// Option changes how New makes a Backend.
type Option func(*Backend)

// WithGuest puts another program than the embedded airlock-init into boxes. It exists for conformance tests.
func WithGuest(binary []byte) Option {
	return func(b *Backend) { b.guest = func() ([]byte, error) { return binary, nil } }
}

// WithABI uses no more of Landlock than that version of it. It exists to test what older kernels get.
func WithABI(version int) Option { return func(b *Backend) { b.maxABI = version } }

// New returns a backend that isn't configured yet.
func New(options ...Option) *Backend {
	b := &Backend{maxABI: 1 << 10, uids: newUIDs(), wardens: newWardens(), live: map[string]bool{}}
	b.guest = embedded
	for _, option := range options {
		option(b)
	}
	return b
}

func embedded() ([]byte, error) { return initbin.For(runtime.GOARCH) }

// Run implements plugins.Sandbox.
func (b *Backend) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	h, err := b.enter(spec.ID)
	if err != nil {
		return plugins.Exit{}, err
	}
	defer b.leave(spec.ID)
	if spec.Runtime != "" {
		return plugins.Exit{}, fmt.Errorf("runtime %q: without namespaces a box has the host's own runtime and no other", spec.Runtime)
	}
	return h.run(ctx, spec, program{argv: append(append([]string{}, plugins.GuestArgv...), door.Mode)}, stdin, stdout)
}

// label is what may become part of a directory's name.
var label = regexp.MustCompile(`^[A-Za-z0-9-]{1,128}$`)

// enter claims an id for a box.
func (b *Backend) enter(id string) (*host, error) {
	if !label.MatchString(id) {
		return nil, fmt.Errorf("box id %q: letters, digits and dashes only", id)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.host == nil {
		return nil, errors.New("landlock: not checked, or not ready")
	}
	if b.live[id] {
		return nil, fmt.Errorf("box id %q is in use", id)
	}
	b.live[id] = true
	return b.host, nil
}

func (b *Backend) leave(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.live, id)
}

func (b *Backend) isLive(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.live[id]
}
