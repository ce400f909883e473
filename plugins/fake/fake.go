package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/computclaw/airlock/plugins"
)

// Guest plays a box's PID 1. It must return soon after ctx ends or after its stdin or stdout fails.
type Guest func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error)

// Backend implements plugins.Sandbox with a Guest, and plugins.Meter once it can measure. It fails
// a test that leaves a box open.
type Backend struct {
	mu     sync.Mutex
	guest  Guest
	report plugins.Report
	usage  func(id string) (plugins.Usage, error)
	open   map[string]bool
	opened []plugins.Spec
	peak   int
}

// New returns a backend that is ready and whose boxes run guest.
func New(tb testing.TB, guest Guest) *Backend {
	b := &Backend{
		guest: guest,
		open:  map[string]bool{},
		report: plugins.Report{
			Name: "fake", Version: "fake", Ready: true, Tier: plugins.TierFull, Runtime: "fake",
			Enforced: map[string]string{},
		},
	}
	tb.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for id := range b.open {
			tb.Errorf("fake sandbox: box %s is still open", id)
		}
	})
	return b
}

// SetGuest changes what later boxes run.
func (b *Backend) SetGuest(guest Guest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.guest = guest
}

// SetUsage changes what Usage answers for open boxes.
func (b *Backend) SetUsage(usage func(id string) (plugins.Usage, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.usage = usage
}

// SetReport changes what Check answers.
func (b *Backend) SetReport(report plugins.Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.report = report
}

// Opened returns the specs of all boxes so far, in order.
func (b *Backend) Opened() []plugins.Spec {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]plugins.Spec(nil), b.opened...)
}

// Open returns how many boxes are open now, and the most at once so far.
func (b *Backend) Open() (now, peak int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.open), b.peak
}

// Check implements plugins.Sandbox.
func (b *Backend) Check(ctx context.Context, _ plugins.Config) (plugins.Report, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.report, ctx.Err()
}

// Run implements plugins.Sandbox. Like a real backend it ends the guest with ctx: its stdio fails
// then.
func (b *Backend) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	guest, err := b.enter(spec)
	if err != nil {
		return plugins.Exit{}, err
	}
	defer b.leave(spec.ID)

	guestIn, in := io.Pipe()
	out, guestOut := io.Pipe()
	stop := context.AfterFunc(ctx, func() {
		in.CloseWithError(ctx.Err())
		out.CloseWithError(ctx.Err())
	})
	defer stop()
	go func() {
		_, err := io.Copy(in, stdin)
		in.CloseWithError(err)
	}()
	copied := make(chan struct{})
	go func() {
		_, err := io.Copy(stdout, out)
		out.CloseWithError(err)
		close(copied)
	}()
	exit, err := guest(ctx, spec, guestIn, guestOut)
	_ = guestIn.Close()
	_ = guestOut.Close()
	if ctx.Err() != nil {
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}, nil
	}
	select {
	case <-copied:
	case <-ctx.Done():
	}
	return exit, err
}

var _ plugins.Meter = (*Backend)(nil)

// Usage implements plugins.Meter.
func (b *Backend) Usage(_ context.Context, id string) (plugins.Usage, error) {
	b.mu.Lock()
	usage, open := b.usage, b.open[id]
	b.mu.Unlock()
	if usage == nil || !open {
		return plugins.Usage{}, fmt.Errorf("fake sandbox: box %q is not measured", id)
	}
	return usage(id)
}

func (b *Backend) enter(spec plugins.Spec) (Guest, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.report.Ready {
		return nil, errors.New("fake sandbox: not ready")
	}
	if b.open[spec.ID] {
		return nil, fmt.Errorf("fake sandbox: box %q is open already", spec.ID)
	}
	b.open[spec.ID] = true
	b.opened = append(b.opened, spec)
	b.peak = max(b.peak, len(b.open))
	return b.guest, nil
}

func (b *Backend) leave(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, id)
}
