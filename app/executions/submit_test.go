package executions_test

import (
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
)

func TestSubmitRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := []struct {
		name   string
		change func(*executions.Submission)
		code   app.Code
	}{
		{"unknown profile", func(s *executions.Submission) { s.ProfileID = app.NewProfileID() }, app.CodeUnauthorized},
		{"no profile", func(s *executions.Submission) { s.ProfileID = "" }, app.CodeUnauthorized},
		{"empty script", func(s *executions.Submission) { s.Script = " \n" }, app.CodeInvalidField},
		{"long script", func(s *executions.Submission) { s.Script = strings.Repeat("x", app.MaxScript+1) },
			app.CodeTooLarge},
		{"NUL", func(s *executions.Submission) { s.Script = "print \x00" }, app.CodeInvalidField},
		{"not UTF-8", func(s *executions.Submission) { s.Script = "print \xff" }, app.CodeInvalidField},
		{"long inputs", func(s *executions.Submission) {
			s.Inputs = json.RawMessage(`"` + strings.Repeat("x", app.MaxInputs) +
				`"`)
		}, app.CodeTooLarge},
		{"broken inputs", func(s *executions.Submission) { s.Inputs = json.RawMessage(`{`) }, app.CodeInvalidField},
		{"long idempotency key", func(s *executions.Submission) { s.IdempotencyKey = strings.Repeat("k", 256) },
			app.CodeInvalidField},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent}
			tt.change(&s)
			_, _, err := w.Submitter.Submit(t.Context(), s)
			enginetest.WantCode(t, err, tt.code)
		})
	}
	list, _, err := w.Reader.List(t.Context(), executions.Filter{})
	w.Must(err)
	if len(list) != 0 {
		t.Errorf("%d executions were stored", len(list))
	}
}

func TestSubmitReadsTheTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for seconds, want := range map[float64]time.Duration{0.001: time.Millisecond, 2.5: 2500 * time.Millisecond,
		900: app.DefaultTimeouts().Max} {
		x, _, err := w.Submitter.Submit(t.Context(),
			executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", Timeout: &seconds, By: enginetest.Agent})
		w.Must(err)
		if x.Timeout != want {
			t.Errorf("%g became %v, want %v", seconds, x.Timeout, want)
		}
	}
	for _, seconds := range []float64{-1, 0, 1e-10, 0.0009, 900.001, 1e300, math.Inf(1), math.NaN()} {
		sub := executions.Submission{Script: "result 1", Timeout: &seconds}
		enginetest.WantCode(t, sub.Validate(app.DefaultTimeouts()), app.CodeInvalidField)
	}
}

// Editors put a mark before a script, which Python passes over in a file.
func TestAScriptWithAByteOrderMarkLosesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "\ufeffresult 1", By: enginetest.Agent})
	w.Must(err)
	script, _, err := w.Reader.Submitted(t.Context(), x.Handle)
	w.Must(err)
	if script != "result 1" {
		t.Errorf("the script is %q", script)
	}
}

func TestSubmitNeedsALockedProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.Access.Profiles.Create(t.Context(), enginetest.Person, "not locked")
	w.Must(err)
	_, _, err = w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: p.ID, Script: "result 1",
		By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeProfileUnlocked)
}

// An earlier run may have had a timeout that an operator no longer allows.
func TestTimeoutOfARerunIsCapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", Timeout: new(600.0), By: enginetest.Agent})
	w.Must(err)
	w.Until(x, app.StatusCompleted)
	w.Must(w.Close(t.Context()))
	w.StartEngine(func(c *engine.Config) { c.Timeouts.Max = 5 * time.Minute })
	again, err := w.Submitter.Rerun(t.Context(), x.Handle, executions.Again{By: enginetest.Agent})
	w.Must(err)
	if again.Timeout != 5*time.Minute {
		t.Errorf("the timeout is %v", again.Timeout)
	}
	w.Until(again, app.StatusCompleted)
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var mu sync.Mutex
	w := newWorld(t, func(c *engine.Config) {
		c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	})
	s := executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", IdempotencyKey: "k", By: enginetest.Agent}
	first, replayed, err := w.Submitter.Submit(t.Context(), s)
	w.Must(err)
	if replayed {
		t.Error("the first one is a replay")
	}
	same := s
	same.Timeout = new(60.0) // the default, spelled out
	again, replayed, err := w.Submitter.Submit(t.Context(), same)
	w.Must(err)
	if !replayed || again.ID != first.ID {
		t.Errorf("replayed %v, %s and %s", replayed, again.Handle, first.Handle)
	}
	for _, change := range []func(*executions.Submission){
		func(s *executions.Submission) { s.Script = "result 2" },
		func(s *executions.Submission) { s.Timeout = new(2.0) },
		func(s *executions.Submission) { s.Inputs = json.RawMessage("null") },
	} {
		other := s
		change(&other)
		_, _, err = w.Submitter.Submit(t.Context(), other)
		enginetest.WantCode(t, err, app.CodeIdempotencyReused)
	}
	other := s
	other.ProfileID = w.NewProfile().ID // each profile has its own keys
	x, replayed, err := w.Submitter.Submit(t.Context(), other)
	w.Must(err)
	if replayed || x.ID == first.ID {
		t.Error("another profile's execution was returned")
	}
	w.Until(first, app.StatusCompleted)
	mu.Lock()
	now = now.Add(app.IdempotencyLife + time.Second)
	mu.Unlock()
	x, replayed, err = w.Submitter.Submit(t.Context(), s)
	w.Must(err)
	if replayed || x.ID == first.ID {
		t.Error("the key outlived its day")
	}
	w.Until(x, app.StatusCompleted)
}

// Many clients that retry at once start one execution.
func TestIdempotencyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wg sync.WaitGroup
	ids := make([]string, 16)
	for i := range ids {
		wg.Go(func() {
			x, _, err := w.Submitter.Submit(t.Context(),
				executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", IdempotencyKey: "k",
					By: enginetest.Agent})
			if err != nil {
				t.Error(err)
			}
			ids[i] = x.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("different executions: %q", ids)
		}
	}
	w.UntilTerminal(app.Execution{ID: ids[0]})
}

func TestScriptForPeopleIsMasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("print " + enginetest.SecretValue)
	script, _, err := w.Reader.Submitted(t.Context(), x.Handle)
	w.Must(err)
	if diff := cmp.Diff("print [REDACTED...6789]", script); diff != "" {
		t.Error(diff)
	}
	w.Until(x, app.StatusCompleted)
}
