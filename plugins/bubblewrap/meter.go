package bubblewrap

import (
	"context"
	"errors"

	"github.com/computclaw/airlock/plugins"
)

// meter passes usage questions to the goroutine that watches the box. Only that one may read its
// group.
type meter struct {
	asked chan chan<- reading
	over  chan struct{} // closed once nothing of the box is left
}

type reading struct {
	usage usage
	err   error
}

func newMeter() *meter { return &meter{asked: make(chan chan<- reading), over: make(chan struct{})} }

var (
	errNotOpen    = errors.New("bubblewrap: no such box is open")
	errKilled     = errors.New("bubblewrap: the box was killed; its exit says why")
	errUnmeasured = errors.New("bubblewrap: usage is known at the end only, because a control group lacks counters")
)

func (m *meter) ask(ctx context.Context) (usage, error) {
	answer := make(chan reading, 1)
	select {
	case m.asked <- answer:
	case <-m.over:
		return usage{}, errNotOpen
	case <-ctx.Done():
		return usage{}, ctx.Err()
	}
	seen := <-answer
	return seen.usage, seen.err
}

func (b *box) measure() (usage, error) {
	if b.killed != "" {
		return usage{}, errKilled
	}
	return b.group.usage()
}

var _ plugins.Meter = (*Backend)(nil)

// Usage implements plugins.Meter.
func (b *Backend) Usage(ctx context.Context, id string) (plugins.Usage, error) {
	m, open := b.boxes.Get(id)
	if !open {
		return plugins.Usage{}, errNotOpen
	}
	u, err := m.ask(ctx)
	switch {
	case err != nil:
		return plugins.Usage{}, err
	case !u.complete:
		return plugins.Usage{}, errUnmeasured
	}
	return plugins.Usage{PeakMemory: u.peak, CPUTime: u.cpu, LimitHit: u.oom || u.refused > 0}, nil
}
