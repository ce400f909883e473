package bubblewrap

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
)

// stopping is a limiter that stops the first process it gets, until that is killed.
type stopping struct {
	limiter
	first   sync.Once
	stopped chan struct{} // closed then
}

func (s *stopping) create(id string, l plugins.Limits) (group, error) {
	g, err := s.limiter.create(id, l)
	return stoppingGroup{g, s}, err
}

type stoppingGroup struct {
	group
	by *stopping
}

func (g stoppingGroup) add(pid int) error {
	err := g.group.add(pid)
	g.by.first.Do(func() {
		err = cmp.Or(err, unix.Kill(pid, unix.SIGSTOP))
		close(g.by.stopped)
	})
	return err
}

// starting begins a template start that never gets ready. err carries the error of a box that waits
// for it until ctx ends.
func starting(ctx context.Context, t *testing.T) (ts *templates, err <-chan error) {
	t.Helper()
	_, h := forking(t, renewAfter)
	stopped := make(chan struct{})
	h.limiter = &stopping{limiter: h.limiter, stopped: stopped}
	taken := make(chan error, 1)
	go func() {
		_, err := h.templates.take(ctx, nil)
		taken <- err
	}()
	<-stopped
	return h.templates, taken
}

// TestHoleAStartHoldsNobody: boxes, their ends and the next Check ignored their contexts while a
// template started.
func TestHoleAStartHoldsNobody(t *testing.T) {
	ts, first := starting(t.Context(), t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ts.take(over, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a box whose context ended: %v", err)
	}
	ts.retire()
	if err := <-first; !errors.Is(err, errNoTemplate) {
		t.Errorf("the start was not ended: %v", err)
	}
	if err := ts.failure(); err != nil {
		t.Errorf("a start that was ended counts as failed: %v", err)
	}
}

func TestTheNextBoxStartsTheTemplate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ts, first := starting(ctx, t)
	second := make(chan error, 1)
	go func() {
		current, err := ts.take(t.Context(), nil)
		if err == nil {
			ts.release(current)
		}
		second <- err
	}()
	cancel()
	if err := <-first; err == nil {
		t.Error("a box whose context ended has a template")
	}
	if err := <-second; err != nil {
		t.Errorf("the next box: %v", err)
	}
}
