package scheduler_test

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/runner"
)

// TestAFloodLeavesTheOthersTheirTurn: who has queued ten makes nobody wait for more than one of
// them, whoever came first.
func TestAFloodLeavesTheOthersTheirTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	blocker := w.Send("hang")
	w.UntilStatus(blocker, app.StatusRunning)
	var flood, others []app.Execution
	for range 10 {
		flood = append(flood, w.Send("result 1"))
	}
	for range 3 {
		w.Profile = w.NewProfile()
		others = append(others, w.Send("result 1"))
	}
	if _, err := w.Controller.Cancel(t.Context(), blocker.ID, enginetest.Agent); err != nil {
		t.Fatal(err)
	}
	first := w.UntilStatus(flood[0], app.StatusCompleted)
	for _, x := range others {
		if x = w.UntilStatus(x, app.StatusCompleted); x.StartedAt.After(first.StartedAt) {
			t.Errorf("%s of another profile began after the flood went on", x.Handle)
		}
	}
	for i, x := range flood[1:] {
		if x = w.UntilStatus(x, app.StatusCompleted); x.StartedAt.Before(first.StartedAt) {
			t.Errorf("number %d of the flood began before its first", i+1)
		}
	}
}

// TestNothingIsClaimedOnceItDrains: what the queue's loop was about to claim when the drain began
// stays in the queue. Nobody would wait for its end.
func TestNothingIsClaimedOnceItDrains(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	running := w.Send("hang")
	w.UntilStatus(running, app.StatusRunning)
	queued := w.Send("result 1")
	release := w.Scheduler.HoldClaims(t)
	w.Runner.Find(running.Handle).Stop(runner.StopCancelled(enginetest.Agent))
	for w.Scheduler.Pending().Load() { // the loop has looked whether anything may run, and is about to claim
		time.Sleep(time.Millisecond)
	}
	w.Scheduler.SetDraining()
	release()
	for !w.Scheduler.Pending().Load() {
		time.Sleep(time.Millisecond)
	}
	w.UntilStatus(queued, app.StatusPending)
	w.Must(w.Close(t.Context()))
	w.StartEngine()
	w.UntilStatus(queued, app.StatusCompleted)
}
