package scheduler_test

import (
	"context"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// coldYard is a world with the backends "quick" (default) and "dead". Dead boxes open once gate is
// closed. w's profile requires "dead".
func coldYard(t *testing.T, workers int) (w *world, dead *fake.Backend, gate chan struct{}) {
	t.Helper()
	base, boxes := enginetest.NewWithBackends(t, func(c *engine.Config) { c.Workers, c.Pool = workers, -1 },
		enginetest.Passes("quick", plugins.TierFull), enginetest.Passes("dead", plugins.TierFull))
	gate = make(chan struct{})
	boxes["dead"].SetGuest(fake.After(gate, guesttest.Play))
	w = &world{base}
	w.Require(app.Placement{Backend: "dead"})
	return w, boxes["dead"], gate
}

// TestADeadBackendHoldsNoSlots: executions release their slots while a backend doesn't answer.
func TestADeadBackendHoldsNoSlots(t *testing.T) {
	t.Parallel()
	w, _, _ := coldYard(t, 2)
	var stuck [3]app.Execution
	for i := range stuck {
		stuck[i] = w.Send("result 1")
	}
	w.AsProfile(w.NewProfile(), func() {
		for range 5 {
			if x, _ := w.Finished("result 1", app.StatusCompleted); x.Backend != "quick" {
				t.Errorf("it ran in %q", x.Backend)
			}
		}
	})
	for _, x := range stuck {
		if status := w.StoredStatus(x); status.Terminal() {
			t.Errorf("%s: the dead backend had given up by then, so that nothing is shown", status)
		}
	}
	w.AwaitHealth("those that wait", func(h engine.Health) bool { return h.Opening >= 2 && h.Opening <= h.Running })
}

// TestADeadBackendOpensABoundedNumber: most executions for a dead backend stay queued. Others are
// claimed meanwhile; all run once it answers.
func TestADeadBackendOpensABoundedNumber(t *testing.T) {
	t.Parallel()
	const workers, many = 2, 20
	w, dead, gate := coldYard(t, workers)
	var stuck [many]app.Execution
	for i := range stuck {
		stuck[i] = w.Send("result 1")
	}
	w.AwaitHealth("those that wait", func(h engine.Health) bool { return h.Opening >= workers })
	w.AsProfile(w.NewProfile(), func() {
		for range 10 {
			w.Finished("result 1", app.StatusCompleted)
		}
	})
	if _, peak := dead.Open(); peak > 2*workers {
		t.Errorf("%d boxes were being opened at once", peak)
	}
	if h := w.Health(); h.Queued < many-2*workers {
		t.Errorf("%d of %d still wait in the queue", h.Queued, many)
	}
	close(gate)
	for _, x := range stuck {
		if x = w.Until(x, app.StatusCompleted); x.Backend != "dead" {
			t.Errorf("it ran in %q", x.Backend)
		}
	}
	if _, peak := dead.Open(); peak > 3*workers { // those, and what ran meanwhile
		t.Errorf("%d boxes at once", peak)
	}
	w.AwaitHealth("nobody that waits", func(h engine.Health) bool { return h.Opening == 0 })
}

// TestAColdBoxWaitsForASlot: a late box doesn't exceed the number of slots.
func TestAColdBoxWaitsForASlot(t *testing.T) {
	t.Parallel()
	w, _, gate := coldYard(t, 1)
	cold := w.Send("result 1")
	w.AwaitHealth("one that waits", func(h engine.Health) bool { return h.Opening == 1 })
	w.AsProfile(w.NewProfile(), func() {
		busy, next := w.Send("hang"), w.Send("result 2")
		w.UntilStatus(busy, app.StatusRunning)
		close(gate)
		w.claimants(1, 1) // it has its box, and the other may begin once there is a slot
		if x, err := w.Reader.ByHandle(t.Context(), cold.Handle); err != nil || !x.StartedAt.IsZero() {
			t.Errorf("started beside the only slot: %+v %v", x, err)
		}
		_, err := w.Controller.Cancel(t.Context(), busy.ID, enginetest.Agent)
		w.Must(err)
		cold, next = w.Until(cold, app.StatusCompleted), w.Until(next, app.StatusCompleted)
		if next.StartedAt.Before(cold.StartedAt) {
			t.Error("one that had not begun went before one that has its box")
		}
	})
}

// TestWhatWaitsForADeadBackendCanBeEnded: executions without a slot can be stopped and closed.
func TestWhatWaitsForADeadBackendCanBeEnded(t *testing.T) {
	t.Parallel()
	w, _, _ := coldYard(t, 1)
	cancelled, interrupted := w.Send("result 1"), w.Send("result 1")
	w.AwaitHealth("one that waits", func(h engine.Health) bool { return h.Opening == 1 })
	_, err := w.Controller.Cancel(t.Context(), cancelled.ID, enginetest.Agent)
	w.Must(err)
	w.UntilStatus(interrupted, app.StatusRunning) // its turn
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	w.Must(w.Close(ctx))
	if status := w.StoredStatus(interrupted); status != app.StatusError {
		t.Errorf("%s after the end", status)
	}
}
