package bubblewrap

import (
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/initbin"
)

// Name is the backend's name.
const Name = "bubblewrap"

// Backend implements plugins.Sandbox and plugins.Meter. Make one with New, one per process.
type Backend struct {
	guest   func() ([]byte, error)
	served  bool   // boxes of a template are, by guest from outside
	group   string // how an operator gives the boxes here a control group
	spawner *spawner
	uids    *atomic.Uint32 // counts the uids that boxes had outside

	number *atomic.Uint32 // of the last template
	log    io.Writer      // lines of it are in Airlock's log

	ready plugins.Readiness[host]
	boxes plugins.Boxes[*meter]

	mu        sync.Mutex
	guestFile *os.File // shared by all boxes
}

// Option changes how New makes a Backend.
type Option func(*Backend)

// WithGuest puts another program than the embedded airlock-init into boxes. It must be a static
// executable with airlock-init's netns mode. It exists for conformance tests.
func WithGuest(binary []byte) Option {
	return func(b *Backend) { b.served, b.guest = false, func() ([]byte, error) { return binary, nil } }
}

// New returns a backend that isn't configured yet. It holds one thread until the process ends.
func New(options ...Option) *Backend {
	b := newBackend(func() ([]byte, error) { return initbin.For(runtime.GOARCH) })
	for _, option := range options {
		option(b)
	}
	return b
}

// NewFor returns a backend for a program without an embedded airlock-init. guest is its own
// program; group tells an operator how to provide a control group.
func NewFor(guest []byte, group string) *Backend {
	b := newBackend(func() ([]byte, error) { return guest, nil })
	b.group = group
	return b
}

const ownGroup = "give Airlock a cgroup of its own: Delegate=yes in its systemd unit, or " +
	"AIRLOCK_PLUGIN_BUBBLEWRAP_CGROUP=/sys/fs/cgroup/… that it can write to"

func newBackend(guest func() ([]byte, error)) *Backend {
	b := &Backend{guest: guest, served: true, group: ownGroup, spawner: newSpawner(), uids: &atomic.Uint32{},
		number: &atomic.Uint32{}, log: os.Stderr} // which go-plugin replaces
	b.uids.Store(rand.Uint32()) // not where another Airlock on this host began
	return b
}

// Close ends what stays between boxes. Nothing may be opened afterwards.
func (b *Backend) Close() error {
	if h, err := b.ready.Host(Name); err == nil {
		h.retire()
	}
	return nil
}
