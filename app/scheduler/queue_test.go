package scheduler_test

import (
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/runner"
)

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

// TestNothingIsClaimedOnceItDrains: a claim that races with the drain stays in the queue.
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

// parked submits n scripts and waits until each has asked.
func (w *world) parked(n int, p app.Profile, script string) (list []app.Execution) {
	w.T.Helper()
	for range n {
		x := w.SendUnder(p, script)
		w.Until(x, app.StatusAwaitingLLM)
		list = append(list, x)
	}
	return list
}

// TestNoProfileTakesAllPlacesToWait: unanswered questions of one profile don't fail those of
// others.
func TestNoProfileTakesAllPlacesToWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Waiters = 2, 4 })
	greedy, modest := w.NewProfile(), w.NewProfile()
	waiting := w.parked(2, greedy, "ask one")
	refused := w.SendUnder(greedy, "ask one more")
	w.Until(refused, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), refused.Handle)
	w.Must(err)
	if !strings.Contains(out.Stdout, "of this profile") {
		t.Errorf("stdout %q", out.Stdout)
	}
	other := w.SendUnder(modest, "ask me")
	w.Until(other, app.StatusAwaitingLLM)
	for _, x := range append(waiting, other) {
		w.UntilTerminal(x)
	}
	if n := w.Health().Waiting; n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}

// TestAnswersAtOnceKeepNobodyFromStarting: instant answers don't let one profile keep all slots.
func TestAnswersAtOnceKeepNobodyFromStarting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Waiters = 1, 20 })
	greedy, modest := w.NewProfile(), w.NewProfile()
	waiting := w.parked(4, greedy, "ask one\nhang")
	blocker := w.SendUnder(greedy, "hang")
	w.UntilStatus(blocker, app.StatusRunning)
	next := w.SendUnder(modest, "result 1")
	for i, x := range waiting {
		_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "a", By: enginetest.Agent})
		w.Must(err)
		w.claimants(i+1, 1)
	}
	end := func(x app.Execution) {
		_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
		w.Must(err)
	}
	end(blocker)
	w.claimants(3, 1) // one of those that got their answer goes on
	end(waiting[0])
	w.Until(next, app.StatusCompleted)
	for _, x := range waiting[1:] {
		if now, err := w.Reader.ByID(t.Context(), x.ID); err != nil || now.Status.Terminal() {
			t.Errorf("%s ended before somebody else could start: %v", now.Status, err)
		}
	}
}

func (w *world) claimants(resuming, starting int) {
	w.T.Helper()
	enginetest.Within(w.T, func() bool {
		r, s := w.Scheduler.SlotRequests()
		return r == resuming && s == starting
	})
}
