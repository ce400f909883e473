package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/initbin"
	"github.com/computclaw/airlock/plugins/ssh/remotebin"
)

// Name is the backend's name.
const Name = "ssh"

// Backend implements plugins.Sandbox and plugins.Meter. Make one with New. It has at most one
// connection, to the machine of the last Check.
type Backend struct {
	programs programs
	busy     chan struct{} // holds the one token that guards the fields below

	link     atomic.Pointer[link] // may be read without the token
	target   target
	cfg      *plugins.Config // of the last Check that found the machine ready; Settings are those for the other side
	promised plugins.Report  // by that machine then
	backoff  plugins.Backoff // of connections
	since    time.Time       // of the connection
}

// Option changes how New makes a Backend.
type Option func(*Backend)

// WithGuest puts another program than the embedded airlock-init into boxes. It exists for
// conformance tests.
func WithGuest(binary []byte) Option {
	return func(b *Backend) { b.programs.guest = func(string) ([]byte, error) { return binary, nil } }
}

// New returns a backend that isn't configured yet.
func New(options ...Option) *Backend {
	b := &Backend{programs: programs{remote: remotebin.For, guest: initbin.For}, busy: make(chan struct{}, 1)}
	for _, option := range options {
		option(b)
	}
	return b
}

// Run implements plugins.Sandbox. When the link breaks, the error wraps plugins.ErrCut and says
// that it did.
func (b *Backend) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	l, t, err := b.openLink(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}, nil
		}
		return plugins.Exit{}, err
	}
	exit, err := l.Run(ctx, spec, stdin, stdout)
	if errors.Is(err, plugins.ErrLost) {
		err = lostError(t, l, err)
	}
	return exit, err
}

var _ plugins.Meter = (*Backend)(nil)

// Usage implements plugins.Meter, as far as the machine can. It doesn't connect: without a
// connection there are no boxes. Nor does it wait for a Check, which may take long.
func (b *Backend) Usage(ctx context.Context, id string) (plugins.Usage, error) {
	l := b.link.Load()
	if l == nil {
		return plugins.Usage{}, errors.New("ssh: no such box is open")
	}
	return l.Usage(ctx, id)
}

// lostError says that the link is gone, in words for the execution's error.
func lostError(t target, l *link, err error) error {
	if cause := l.lossError(); cause != nil {
		err = cause
	}
	return fmt.Errorf("%w: the link to %s was lost: %w", plugins.ErrCut, t, err)
}

// openLink returns a live connection whose remote program has been checked, made anew if necessary.
func (b *Backend) openLink(ctx context.Context) (*link, target, error) {
	if err := b.enter(ctx); err != nil {
		return nil, target{}, err
	}
	defer b.leave()
	if b.cfg == nil {
		return nil, target{}, errors.New("ssh: not checked, or not ready")
	}
	if l := b.link.Load(); l != nil && l.lossError() == nil {
		return l, b.target, nil
	}
	if b.drop() {
		b.backoff.NoteEnd(b.since)
	}
	if err := b.backoff.Wait(ctx); err != nil {
		return nil, b.target, err
	}
	report, err := b.establish(ctx, b.target, *b.cfg)
	if err != nil {
		err = fmt.Errorf("%w: %w", plugins.ErrCut, err)
	} else {
		err = report.Keeps(b.promised) // scripts run in what their executions name
	}
	if err != nil {
		b.drop()
		if ctx.Err() == nil {
			b.backoff.NoteFailure()
		}
		return nil, b.target, fmt.Errorf("connect to %s again: %w", b.target, err)
	}
	return b.link.Load(), b.target, nil
}

// establish connects and checks. The caller holds the token.
func (b *Backend) establish(ctx context.Context, t target, cfg plugins.Config) (plugins.Report, error) {
	l, err := connect(ctx, t, cfg.Instance, wantsScope(cfg.Settings), b.programs)
	if err != nil {
		return plugins.Report{}, err
	}
	b.link.Store(l)
	b.since = time.Now()
	report, err := l.Check(ctx, cfg)
	if errors.Is(err, plugins.ErrLost) {
		err = lostError(t, l, err)
	}
	return report, err
}

// wantsScope reports whether limits may be held by control groups.
func wantsScope(settings map[string]string) bool {
	return settings["limits"] != "polled" && settings["cgroup"] == ""
}

// drop ends the connection with all its boxes, and reports whether there was one.
func (b *Backend) drop() bool {
	l := b.link.Swap(nil)
	if l != nil {
		l.close()
	}
	return l != nil
}

func (b *Backend) enter(ctx context.Context) error {
	select {
	case b.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Backend) leave() { <-b.busy }
