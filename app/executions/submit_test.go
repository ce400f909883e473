package executions_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
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

// Editors put a byte order mark before a script; Python skips it in a file.
func TestAScriptWithAByteOrderMarkLosesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "\ufeffresult 1", By: enginetest.Agent})
	w.Must(err)
	script, _, err := w.Reader.ReadSubmitted(t.Context(), x.Handle)
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

// A re-run's timeout is capped at the current limit.
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
	script, _, err := w.Reader.ReadSubmitted(t.Context(), x.Handle)
	w.Must(err)
	if diff := cmp.Diff("print [REDACTED...6789]", script); diff != "" {
		t.Error(diff)
	}
	w.Until(x, app.StatusCompleted)
}

func onlyApproved(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	rule(w, app.MayRunApprovedScripts)
	return w
}

func rule(w *world, may app.MayRun) {
	w.T.Helper()
	_, err := w.Access.CodeRules.Set(w.T.Context(), enginetest.Person, w.Profile.Handle, may)
	w.Must(err)
}

func asked(w *world) app.Approval {
	w.T.Helper()
	open, err := w.Approvals.Open(w.T.Context())
	w.Must(err)
	if len(open) != 1 {
		w.T.Fatalf("%d questions are open: %+v", len(open), open)
	}
	a, _, err := w.Approvals.ByID(w.T.Context(), open[0].ID)
	w.Must(err)
	return a
}

func submit(w *world, script string) error {
	_, _, err := w.Submitter.Submit(w.T.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: script, By: enginetest.Agent})
	return err
}

func TestAScriptWaitsForItsApprovalWithoutASlotOrABox(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	x := w.Send("result 1")
	if x.Status != app.StatusAwaitingApproval || w.Reader.Phase(x) != app.PhaseAwaitingApproval {
		t.Fatalf("submitted as %s", x.Status)
	}
	time.Sleep(50 * time.Millisecond)
	if now := w.StoredStatus(x); now != app.StatusAwaitingApproval {
		t.Errorf("%s before anybody decided", now)
	}
	if h := w.Health(); h.Running != 0 || h.Queued != 0 {
		t.Errorf("it holds a place: %+v", h)
	}
	a := asked(w)
	if a.Waiting != 1 || a.Execution != x.Handle || a.Shown != "result 1" || len(a.Subject) != 64 {
		t.Errorf("asked %+v", a)
	}
	_, err := w.Approvals.Approve(t.Context(), enginetest.Person, a.ID, app.ApproveAlways)
	w.Must(err)
	w.Until(x, app.StatusCompleted)
	w.Finished("result 1", app.StatusCompleted) // always
	if x := w.Send("result 1 "); x.Status != app.StatusAwaitingApproval {
		t.Errorf("a changed byte is %s", x.Status)
	}
	events, err := w.Access.Audit.Latest(t.Context(), 10)
	w.Must(err)
	var actions []string
	for _, e := range events {
		actions = append(actions, e.Action)
	}
	for _, want := range []string{"approval.ask", "approval.approve", "profile.may_run"} {
		if !strings.Contains(strings.Join(actions, " "), want) {
			t.Errorf("%s is not audited: %v", want, actions)
		}
	}
}

func TestAnApprovalForOnceLetsOneExecutionRun(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	first, second := w.Send("result 1"), w.Send("result 1")
	a := asked(w)
	_, err := w.Approvals.Approve(t.Context(), enginetest.Person, a.ID, app.ApproveOnce)
	w.Must(err)
	w.Until(first, app.StatusCompleted)
	again := asked(w)
	if w.StoredStatus(second) != app.StatusAwaitingApproval || again.ID == a.ID || again.Execution != second.Handle {
		t.Errorf("the second is %s and asks %+v", w.StoredStatus(second), again)
	}
	_, err = w.Controller.Cancel(t.Context(), second.ID, enginetest.Agent)
	w.Must(err)
	if open, _ := w.Approvals.Open(t.Context()); len(open) != 0 {
		t.Errorf("nobody waits, and people are asked %+v", open)
	}
}

func TestNobodyApprovesWhatIsMasked(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	enginetest.WantCode(t, submit(w, "result "+enginetest.SecretValue), app.CodeScriptNotAllowed)
	if open, err := w.Approvals.Open(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("people are asked %+v, %v", open, err)
	}
}

func TestARefusalIsRememberedWithItsReason(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	x := w.Send("result 1")
	id := asked(w).ID
	_, err := w.Approvals.Refuse(t.Context(), enginetest.Person, id, "  ")
	enginetest.WantCode(t, err, app.CodeInvalidField)
	_, err = w.Approvals.Refuse(t.Context(), enginetest.Agent, id, "no")
	enginetest.WantCode(t, err, app.CodeForbidden)
	_, err = w.Approvals.Refuse(t.Context(), enginetest.Person, id, "it deletes orders")
	w.Must(err)
	if x = w.Until(x, app.StatusCancelled); !strings.Contains(x.Error, "it deletes orders") || !x.StartedAt.IsZero() {
		t.Errorf("it ended with %q", x.Error)
	}
	err = submit(w, "result 1")
	enginetest.WantCode(t, err, app.CodeScriptRefused)
	if !strings.Contains(err.Error(), "it deletes orders") {
		t.Errorf("the agent reads %v", err)
	}
	_, err = w.Approvals.Approve(t.Context(), enginetest.Person, id, app.ApproveOnce)
	w.Must(err)
	w.Finished("result 1", app.StatusCompleted)
	if x := w.Send("result 1"); x.Status != app.StatusAwaitingApproval {
		t.Errorf("after the one execution it is %s", x.Status)
	}
	_, err = w.Approvals.Refuse(t.Context(), enginetest.Person, id, "late")
	enginetest.WantCode(t, err, app.CodeConflict)
}

func TestARevokedApprovalEndsWhatWaits(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	x := w.Send("result 1")
	id := asked(w).ID
	w.Must(w.Access.Switches.Pause(t.Context(), enginetest.Person))
	_, err := w.Approvals.Approve(t.Context(), enginetest.Person, id, app.ApproveAlways)
	w.Must(err)
	w.UntilStatus(x, app.StatusPending)
	_, err = w.Approvals.Revoke(t.Context(), enginetest.Person, id)
	w.Must(err)
	if x = w.Until(x, app.StatusCancelled); !strings.Contains(x.Error, "was revoked before it started") {
		t.Errorf("it ended with %q", x.Error)
	}
	if x := w.Send("result 1"); x.Status != app.StatusAwaitingApproval {
		t.Errorf("after the revocation it is %s", x.Status)
	}
}

func TestANarrowerRuleHoldsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Must(w.Access.Switches.Pause(t.Context(), enginetest.Person))
	x := w.Send("result 1")
	rule(w, app.MayRunApprovedScripts)
	if x = w.Until(x, app.StatusCancelled); !strings.Contains(x.Error, "may_run") {
		t.Errorf("it ended with %q", x.Error)
	}
	waits := w.Send("result 2")
	rule(w, app.MayRunApprovedSkills)
	w.Until(waits, app.StatusCancelled)
	enginetest.WantCode(t, submit(w, "result 3"), app.CodeScriptNotAllowed)
	rule(w, app.MayRunApprovedScripts)
	waits = w.Send("result 4")
	rule(w, app.MayRunAny)
	w.UntilStatus(waits, app.StatusPending)
	if open, _ := w.Approvals.Open(t.Context()); len(open) != 0 {
		t.Errorf("people are still asked %+v", open)
	}
}

func TestAnExecutionThatWaitsSurvivesARestartAndExpires(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	x := w.Send("result 1")
	w.Must(w.Close(context.WithoutCancel(t.Context())))
	w.StartEngine()
	if now := w.StoredStatus(x); now != app.StatusAwaitingApproval {
		t.Fatalf("after the restart it is %s", now)
	}
	w.Must(w.Approvals.Expire(t.Context(), time.Hour))
	if now := w.StoredStatus(x); now != app.StatusAwaitingApproval {
		t.Fatalf("too early it is %s", now)
	}
	time.Sleep(5 * time.Millisecond)
	w.Must(w.Approvals.Expire(t.Context(), time.Millisecond))
	if x = w.Until(x, app.StatusTimeout); !strings.Contains(x.Error, "nobody approved the script") {
		t.Errorf("it ended with %q", x.Error)
	}
}

func TestOnlySoManyExecutionsOfAProfileWait(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	for range approvals.MaxWaiting {
		w.Send("result 1")
	}
	enginetest.WantCode(t, submit(w, "result 2"), app.CodeQueueFull)
	if a := asked(w); a.Waiting != approvals.MaxWaiting {
		t.Errorf("%d wait for one question", a.Waiting)
	}
	_, err := w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	enginetest.Within(t, func() bool { // nobody waits, so people aren't asked
		open, err := w.Approvals.Open(t.Context())
		return err == nil && len(open) == 0
	})
}

func TestARerunNeedsTheSameApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _ := w.Finished("result 1", app.StatusCompleted)
	rule(w, app.MayRunApprovedScripts)
	again, err := w.Submitter.Rerun(t.Context(), x.Handle, executions.Again{By: enginetest.Agent})
	w.Must(err)
	if again.Status != app.StatusAwaitingApproval {
		t.Errorf("a re-run is %s", again.Status)
	}
}

// TestHoleReleasedWithoutApproval: after the rule is restored, queued scripts without approval
// don't run.
func TestHoleReleasedWithoutApproval(t *testing.T) {
	t.Parallel()
	w := onlyApproved(t)
	w.Must(w.Access.Switches.Pause(t.Context(), enginetest.Person))
	approved, waits := w.Send("result 1"), w.Send("result 2")
	open, err := w.Approvals.Open(t.Context())
	w.Must(err)
	for _, a := range open {
		if a.Execution == approved.Handle {
			_, err = w.Approvals.Approve(t.Context(), enginetest.Person, a.ID, app.ApproveOnce)
			w.Must(err)
		}
	}
	rule(w, app.MayRunAny)
	w.UntilStatus(waits, app.StatusPending)
	rule(w, app.MayRunApprovedScripts)
	w.Until(waits, app.StatusCancelled)
	w.Must(w.Access.Switches.Resume(t.Context(), enginetest.Person))
	w.Until(approved, app.StatusCompleted)
}
