package executions_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
)

// onlyApproved returns a world whose profile runs only what a person approved.
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

// asked returns the one open question.
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

// TestHoleReleasedWithoutApproval: what waited while scripts of any kind were let through for a moment
// stayed in the queue without an approval, and ran.
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
