package scheduler_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/runner"
)

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

// TestNoProfileTakesAllPlacesToWait: scripts of a profile that asks and never answers must not
// raise llm.Error in everybody else's.
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

// TestAnswersAtOnceKeepNobodyFromStarting: a profile whose many executions get their answers at
// once doesn't have all slots until the last of them has ended.
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

// claimants waits until so many want to resume and to start.
func (w *world) claimants(resuming, starting int) {
	w.T.Helper()
	enginetest.Within(w.T, func() bool {
		r, s := w.Scheduler.SlotRequests()
		return r == resuming && s == starting
	})
}
