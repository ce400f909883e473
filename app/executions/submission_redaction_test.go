package executions_test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact"
)

// TestLongScriptsAreMaskedInTurns: one profile's long scripts don't delay another's, and few wait.
func TestLongScriptsAreMaskedInTurns(t *testing.T) {
	t.Parallel()
	var held atomic.Int64
	gate := make(chan struct{})
	w := newWorld(t, func(c *engine.Config) {
		c.Queue, c.QueuePerProfile = 1000, 1000
		c.Patterns = func(text string) []redact.Match {
			if strings.Contains(text, "# many") {
				held.Add(1)
				<-gate
			}
			return nil
		}
	})
	long := func(word string) string {
		return "result 1\nprint # " + word + strings.Repeat(" x", executions.CostlyScriptBytes/2)
	}
	var all sync.WaitGroup
	var refused, taken atomic.Int64
	for range 100 {
		all.Go(func() {
			switch _, _, err := w.Submitter.Submit(t.Context(),
				executions.Submission{ProfileID: w.Profile.ID, Script: long("many"),
					By: enginetest.Agent}); app.CodeOf(err) {
			case "":
				taken.Add(1)
			case app.CodeQueueFull:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	half := int64(max(2, runtime.GOMAXPROCS(0))+1) / 2
	may := half + executions.MaxScriptsWaiting/2 // half of the turns, and of the places to wait for one
	enginetest.Within(t, func() bool { return refused.Load() == 100-may && held.Load() == half })
	w.Until(w.SendUnder(w.NewProfile(), long("one")), app.StatusCompleted)
	close(gate)
	all.Wait()
	if taken.Load() != may || w.Submitter.ScriptsRedacting() != 0 {
		t.Errorf("%d were taken, want %d; %d turns are left", taken.Load(), may, w.Submitter.ScriptsRedacting())
	}
}

// TestRefusedScriptCostsNothing: a refused, repeated or re-run script is not masked first.
func TestRefusedScriptCostsNothing(t *testing.T) {
	t.Parallel()
	counting, looks := enginetest.CountRedactions("dearly")
	w := newWorld(t, counting, func(c *engine.Config) { c.Workers, c.QueuePerProfile = 1, 1 })
	dear := "result 1\n# dearly " + strings.Repeat("x", executions.CostlyScriptBytes)
	ended := w.Send("result 2\nprint " + dear[len("result 1\n"):])
	w.Until(ended, app.StatusCompleted)
	blocker := w.Send("hang")
	w.UntilStatus(blocker, app.StatusRunning)
	first, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: dear, IdempotencyKey: "k", By: enginetest.Agent})
	w.Must(err)
	if looks.Load() == 0 {
		t.Fatal("no script was looked at")
	}
	looks.Store(0)
	_, _, err = w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID, Script: dear,
		By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeQueueFull)
	_, err = w.Submitter.Rerun(t.Context(), ended.Handle, executions.Again{By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeQueueFull)
	_, _, err = w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: dear + "y", IdempotencyKey: "k", By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeIdempotencyReused)
	again, replayed, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: dear, IdempotencyKey: "k", By: enginetest.Agent})
	w.Must(err)
	if !replayed || again.ID != first.ID || again.ProfileID != w.Profile.ID {
		t.Errorf("replayed %v: %+v", replayed, again)
	}
	if n := looks.Load(); n != 0 {
		t.Errorf("the script was looked at %d times in vain", n)
	}
}

// TestHoleMaskingTakesTurns: reading many long skills must not take all processors.
func TestHoleMaskingTakesTurns(t *testing.T) {
	t.Parallel()
	var held atomic.Int64
	gate := make(chan struct{})
	w := newWorld(t, func(c *engine.Config) {
		c.Patterns = func(text string) []redact.Match {
			if strings.Contains(text, "# many") {
				held.Add(1)
				<-gate
			}
			return nil
		}
	})
	mask := func(p app.Profile, text string) error {
		_, _, err := w.Submitter.Mask(t.Context(), p, []string{text, strings.Repeat(" x", executions.CostlyScriptBytes/2)})
		return err
	}
	half := int64(max(2, runtime.GOMAXPROCS(0))+1) / 2
	var all sync.WaitGroup
	for range half + 1 {
		all.Go(func() {
			if err := mask(w.Profile, "# many"); err != nil {
				t.Error(err)
			}
		})
	}
	enginetest.Within(t, func() bool { return held.Load() == half })
	if err := mask(w.NewProfile(), "one"); err != nil || held.Load() != half {
		t.Errorf("another profile: %v; of the first %d are masked at once", err, held.Load())
	}
	close(gate)
	all.Wait()
	if n := w.Submitter.ScriptsRedacting(); n != 0 {
		t.Errorf("%d turns are left", n)
	}
}
