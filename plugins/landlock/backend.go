package landlock

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/initbin"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
)

// Name is the backend's name.
const Name = "landlock"

// Backend implements plugins.Sandbox. Make one with New, one per process.
type Backend struct {
	guest       func() ([]byte, error)
	maxABI      int
	uids        *uids
	supervisors *supervisors

	ready plugins.Readiness[host]
	boxes plugins.Boxes[struct{}]

	mu             sync.Mutex
	guestFile      *os.File // shared by all boxes
	supervisorFile *os.File
}

// Option changes how New makes a Backend.
type Option func(*Backend)

// WithGuest puts another program than the embedded airlock-init into boxes. It exists for
// conformance tests.
func WithGuest(binary []byte) Option {
	return func(b *Backend) { b.guest = func() ([]byte, error) { return binary, nil } }
}

// WithABI limits the backend to that version of Landlock. It exists for tests of older kernels.
func WithABI(version int) Option { return func(b *Backend) { b.maxABI = version } }

// New returns a backend that isn't configured yet.
func New(options ...Option) *Backend {
	b := &Backend{maxABI: 1 << 10, uids: newUIDs(), supervisors: newSupervisors()}
	b.guest = readEmbedded
	for _, option := range options {
		option(b)
	}
	return b
}

func readEmbedded() ([]byte, error) { return initbin.For(runtime.GOARCH) }

// Run implements plugins.Sandbox.
func (b *Backend) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	if err := b.boxes.Enter(spec.ID, struct{}{}); err != nil {
		return plugins.Exit{}, fmt.Errorf("landlock: %w", err)
	}
	defer b.boxes.Leave(spec.ID)
	h, err := b.ready.Host(Name)
	if err != nil {
		return plugins.Exit{}, err
	}
	if spec.Runtime != "" {
		return plugins.Exit{}, fmt.Errorf("runtime %q: without namespaces a box has the host's own runtime",
			spec.Runtime)
	}
	guest := program{argv: append(append([]string{}, plugins.GuestArgv...), supervisor.GuestMode)}
	return h.run(ctx, spec, guest, stdin, stdout)
}
