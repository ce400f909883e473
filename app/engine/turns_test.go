package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
)

// submitUnder sends a script under any profile.
func (w *world) submitUnder(p app.Profile, script string) app.Execution {
	w.t.Helper()
	x, _, err := w.Submit(w.t.Context(), Submission{ProfileID: p.ID, Script: script, By: agent})
	w.must(err)
	return x
}

// parked submits n scripts and waits until each has asked.
func (w *world) parked(n int, p app.Profile, script string) (list []app.Execution) {
	w.t.Helper()
	for range n {
		x := w.submitUnder(p, script)
		w.until(x, app.StatusAwaitingLLM)
		list = append(list, x)
	}
	return list
}

// TestNoProfileTakesAllPlacesToWait: scripts of a profile that asks and never answers must not raise llm.Error in everybody else's.
func TestNoProfileTakesAllPlacesToWait(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers, c.Waiters = 2, 4 })
	greedy, modest := w.newProfile(), w.newProfile()
	waiting := w.parked(2, greedy, "ask one")
	refused := w.submitUnder(greedy, "ask one more")
	w.until(refused, app.StatusCompleted)
	out, err := w.Output(t.Context(), refused.Handle)
	w.must(err)
	if !strings.Contains(out.Stdout, "of this profile") {
		t.Errorf("stdout %q", out.Stdout)
	}
	other := w.submitUnder(modest, "ask me")
	w.until(other, app.StatusAwaitingLLM)
	for _, x := range append(waiting, other) {
		w.untilTerminal(x)
	}
	if n := w.Health().Waiting; n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}

// TestPlacesToWait: one profile gets half, and the last place is for one that has none.
func TestPlacesToWait(t *testing.T) {
	w := newWaiters(8)
	got := map[string]int{}
	for _, profile := range []string{"a", "b", "c", "d"} {
		for {
			_, own, ok := w.take(profile)
			if !ok {
				if full := w.taken() == 8; own == full {
					t.Errorf("own %v with %d taken", own, w.taken())
				}
				break
			}
			got[profile]++
		}
	}
	if got["a"] != 4 || got["b"] != 2 || got["c"] != 1 || got["d"] != 1 {
		t.Errorf("places %v", got)
	}
	single := newWaiters(1)
	release, _, ok := single.take("a")
	if !ok {
		t.Fatal("the only place is nobody's")
	}
	release()
	if len(single.profiles) != 0 || single.taken() != 0 {
		t.Errorf("left over: %+v", single)
	}
}

// TestAnswersAtOnceKeepNobodyFromStarting: a profile whose many executions get their answers at once doesn't have all slots until the last of them has ended.
func TestAnswersAtOnceKeepNobodyFromStarting(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers, c.Waiters = 1, 20 })
	greedy, modest := w.newProfile(), w.newProfile()
	waiting := w.parked(4, greedy, "ask one\nhang")
	blocker := w.submitUnder(greedy, "hang")
	w.untilStatus(blocker, app.StatusRunning)
	next := w.submitUnder(modest, "result 1")
	for i, x := range waiting {
		_, err := w.Respond(t.Context(), x.ID, Answer{Text: "a", By: agent})
		w.must(err)
		w.claimants(i+1, 1)
	}
	end := func(x app.Execution) {
		_, err := w.Cancel(t.Context(), x.ID, agent)
		w.must(err)
	}
	end(blocker)
	w.claimants(3, 1) // one of those that got their answer goes on
	end(waiting[0])
	w.until(next, app.StatusCompleted)
	for _, x := range waiting[1:] {
		if now, err := w.Execution(t.Context(), x.ID); err != nil || now.Status.Terminal() {
			t.Errorf("%s ended before somebody else could start: %v", now.Status, err)
		}
	}
}

// claimants waits until so many want to resume and to start.
func (w *world) claimants(resuming, starting int) {
	w.t.Helper()
	within(w.t, func() bool {
		w.slots.mu.Lock()
		defer w.slots.mu.Unlock()
		return len(w.slots.resuming) == resuming && len(w.slots.starting) == starting
	})
}

// TestSlotsTakeTurns: whoever starts comes after one that resumes, and profiles resume by turns.
func TestSlotsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(0)
		var order []string
		claim := func(name string, acquire func() error) {
			go func() {
				if acquire() == nil {
					order = append(order, name) // one at a time: see below
				}
			}()
			synctest.Wait()
		}
		for _, profile := range []string{"a", "a", "a", "a", "c", "b"} {
			claim(profile, func() error { return s.resume(t.Context(), profile) })
		}
		for range 2 {
			claim("start", func() error { return s.start(t.Context()) })
		}
		for range 8 {
			s.release()
			synctest.Wait()
		}
		if want := []string{"a", "start", "b", "start", "c", "a", "a", "a"}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		if s.release(); s.free != 1 {
			t.Errorf("%d slots are free", s.free)
		}
	})
}

func within(t testing.TB, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("it never happens")
		}
	}
}
