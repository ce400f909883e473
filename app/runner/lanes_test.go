package runner_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/redact"
)

// gatedWorld has a redactor that holds texts beginning with "dearly" until done is called. looks
// counts those it checks.
func gatedWorld(t *testing.T, workers int) (w *world, looks *atomic.Int64, done func()) {
	w, looks = newUnstarted(t), &atomic.Int64{}
	gate, open := context.WithCancel(t.Context())
	w.Fake.SetUsage(enginetest.Measured)
	w.StartEngine(func(c *engine.Config) {
		c.Workers, c.Pool = workers, -1
		c.Patterns = func(text string) []redact.Match {
			if strings.HasPrefix(text, "dearly") {
				looks.Add(1)
				defer looks.Add(-1)
				<-gate.Done()
			}
			return nil
		}
	})
	return w, looks, open
}

// dear is an output line too long for the lane of small texts.
var dear = "print dearly " + strings.Repeat("x", 70<<10)

// Masking after one profile's ends held every run slot, and other profiles waited for minutes.
func TestHoleH5EndsTakeTurns(t *testing.T) {
	t.Parallel()
	w, looks, done := gatedWorld(t, 2)
	var hostile []app.Execution
	for range 12 {
		hostile = append(hostile, w.Send(dear+"\nresult 1"))
	}
	// eight, and what else was running when the eighth ended
	w.AwaitHealth("eight unfinished ends", func(h engine.Health) bool { return h.Queued <= len(hostile)-8 })
	w.AwaitSlots(2)
	w.AsProfile(w.NewProfile(), func() {
		for range 10 {
			w.Finished("print 1\nresult 1", app.StatusCompleted)
		}
		w.Finished("print "+strings.Repeat("x", 70<<10), app.StatusCompleted)
	})
	for _, x := range hostile {
		if w.StoredStatus(x).Terminal() {
			t.Error("one of the profile's ends came first")
		}
	}
	if n := looks.Load(); n != 1 {
		t.Errorf("%d of the profile's texts are looked at at once, of two places", n)
	}
	if h := w.Health(); h.Queued < len(hostile)-9 {
		t.Errorf("%d are queued", h.Queued)
	}
	done()
	for _, x := range hostile {
		w.Until(x, app.StatusCompleted)
	}
}

// Cancelled executions that had waited for an answer were checked before all others.
func TestHoleM5ParkedEndsTakeTurns(t *testing.T) {
	t.Parallel()
	w, looks, _ := gatedWorld(t, 2)
	var parked []app.Execution
	for range 10 {
		parked = append(parked, w.UntilStatus(w.Send(dear+"\nask one"), app.StatusAwaitingLLM))
	}
	var cancels errgroup.Group
	for _, x := range parked {
		cancels.Go(func() error {
			_, err := w.Controller.Cancel(context.WithoutCancel(t.Context()), x.ID, enginetest.Agent)
			return err
		})
	}
	enginetest.Within(t, func() bool { return looks.Load() == 1 })
	w.AwaitHealth("ends of all", func(h engine.Health) bool { return h.Waiting == 0 })
	w.AsProfile(w.NewProfile(), func() { w.Finished("print 1\nresult 1", app.StatusCompleted) })
	for _, x := range parked {
		if w.StoredStatus(x).Terminal() {
			t.Error("one that was parked came first")
		}
	}
	// a profile with eight unfinished ends gets nothing claimed
	if waits := w.Send("result 1"); w.StoredStatus(waits) != app.StatusPending {
		t.Error("another execution of the profile was claimed")
	}
	t.Cleanup(func() { w.Must(cancels.Wait()) }) // the test's context has ended then, and opens the gate
}

// A cancel after the script's end changes neither its status nor its output.
func TestACancelAfterTheScriptsEnd(t *testing.T) {
	t.Parallel()
	w, looks, done := gatedWorld(t, 2)
	x := w.Send("print dearly\nresult 41")
	enginetest.Within(t, func() bool { return looks.Load() == 1 })
	cancelled := make(chan error)
	go func() {
		_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
		cancelled <- err
	}()
	done()
	enginetest.WantCode(t, <-cancelled, app.CodeAlreadyEnded)
	out, err := w.Reader.Output(t.Context(), w.Until(x, app.StatusCompleted).Handle)
	if w.Must(err); out.Stdout != "dearly\n" || string(out.Result) != "41" {
		t.Errorf("%+v", out)
	}
}

// A stop discards output that has had no turn; a running turn is kept.
func TestEndsThatHaveNoTurnBeforeAStop(t *testing.T) {
	t.Parallel()
	w, looks, done := gatedWorld(t, 1)
	first := w.Send("print dearly\nresult 1")
	enginetest.Within(t, func() bool { return looks.Load() == 1 })
	second, failed := w.Send("print two\nresult 2"), w.Send("warn three\nexit 3")
	w.AwaitHealth("ends of all", func(h engine.Health) bool { return h.Queued == 0 && h.Running == 3 })
	w.AwaitSlots(1)
	w.Runner.CutEnds()
	const discarded = "stopped before it could check what the script printed"
	for _, x := range []app.Execution{second, failed} {
		x = w.Until(x, app.StatusError)
		out, err := w.Reader.Output(t.Context(), x.Handle)
		if w.Must(err); !strings.Contains(x.Error, discarded) || out.Result != nil ||
			out.Stdout+out.Stderr != "[REDACTED: could not be checked]" {
			t.Errorf("%s: %+v", x.Error, out)
		}
	}
	done()
	w.Until(first, app.StatusCompleted)
}
