package executions_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
)

// soFar waits until the agent can read want in a running execution's output.
func (w *world) soFar(x app.Execution, want string) (out app.Output) {
	w.T.Helper()
	enginetest.Within(w.T, func() bool {
		var err error
		out, _, err = w.Reader.OutputSoFar(w.T.Context(), x)
		w.Must(err)
		return strings.Contains(out.Stdout, want)
	})
	return out
}

// A value is masked during the run as at the end.
func TestOutputSoFarIsAsCleanAsTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	half := len(enginetest.SecretValue) / 2
	x := w.Send("print whole " + enginetest.SecretValue + "\nwarn " + enginetest.SecretValue + "\nhang")
	w.UntilStatus(x, app.StatusRunning)
	var out app.Output
	enginetest.Within(t, func() bool { // the streams come on their own ways
		out = w.soFar(x, "whole")
		return out.Stderr != ""
	})
	_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	end, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if out.Stdout != end.Stdout || out.Stderr != end.Stderr {
		t.Errorf("so far %+v, at the end %+v", out, end)
	}
	for _, text := range []string{out.Stdout, out.Stderr} {
		if strings.Contains(text, enginetest.SecretValue[:half]) || strings.Contains(text, enginetest.SecretValue[half:]) {
			t.Errorf("half of the value is shown: %q", text)
		}
	}
	if _, ok, _ := w.Reader.OutputSoFar(t.Context(), x); ok {
		t.Error("an ended execution still has output so far")
	}
}

func TestProgressOfARunningExecution(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("print begun\nhang")
	w.soFar(x, "begun")
	first, err := w.Reader.ByID(t.Context(), x.ID)
	w.Must(err)
	time.Sleep(5 * time.Millisecond)
	second, err := w.Reader.ByID(t.Context(), x.ID)
	w.Must(err)
	if phase := w.Reader.Phase(second); phase != app.PhaseRunning || first.RunTime <= 0 ||
		second.RunTime <= first.RunTime {
		t.Errorf("phase %s, ran %v, then %v", phase, first.RunTime, second.RunTime)
	}
	ended, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	if first.StartedAt.IsZero() || !ended.StartedAt.Equal(first.StartedAt) {
		t.Errorf("it started at %v, after its end at %v", first.StartedAt, ended.StartedAt)
	}
	waiting := w.Until(w.Send("ask one"), app.StatusAwaitingLLM)
	if phase := w.Reader.Phase(waiting); phase != app.PhaseAwaitingLLM {
		t.Errorf("phase %s", phase)
	}
}

func TestInputsAreShownMasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(), executions.Submission{
		ProfileID: w.Profile.ID, Script: "inputs", By: enginetest.Agent, Label: "month end",
		Inputs: json.RawMessage(`{"note":"it is ` + enginetest.SecretValue + `","amount":1.50}`),
	})
	w.Must(err)
	_, inputs, err := w.Reader.ReadSubmitted(t.Context(), x.Handle)
	w.Must(err)
	if want := `{"note":"it is [REDACTED...6789]","amount":1.50}`; string(inputs) != want {
		t.Errorf("%s, want %s", inputs, want)
	}
	ended := w.UntilTerminal(x)
	if ended.Label != "month end" {
		t.Errorf("label %q", ended.Label)
	}
	list, _, err := w.Reader.List(t.Context(), executions.Filter{Label: "month end"})
	w.Must(err)
	none, _, err := w.Reader.List(t.Context(), executions.Filter{Label: "month"})
	w.Must(err)
	found, err := w.Reader.Search(t.Context(), executions.Filter{Text: "amount month"})
	w.Must(err)
	if len(list) != 1 || len(none) != 0 || len(found.Executions) != 1 {
		t.Errorf("%d have the label, %d a part of it, words find %d", len(list), len(none), len(found.Executions))
	}
}

func TestInputsThatCantBeCheckedAreNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deep := strings.Repeat("[", 300) + strings.Repeat("]", 300)
	x, _, err := w.Submitter.Submit(t.Context(), executions.Submission{
		ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent, Inputs: json.RawMessage(deep),
	})
	w.Must(err)
	_, inputs, err := w.Reader.ReadSubmitted(t.Context(), x.Handle)
	w.Must(err)
	if string(inputs) != `"[REDACTED: could not be checked]"` {
		t.Errorf("%s", inputs)
	}
	w.UntilTerminal(x)
}

func TestRerunUnderADeletedProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _ := w.Finished("result 1", app.StatusCompleted)
	w.Must(w.Access.Profiles.Delete(t.Context(), enginetest.Person, w.Profile.Handle))
	_, err := w.Submitter.Rerun(t.Context(), x.Handle, executions.Again{By: enginetest.Person})
	enginetest.WantCode(t, err, app.CodeProfileRevoked)
	const hint = "Create a profile with POST /profiles and submit the script under it."
	if e := (&app.Error{}); !errors.As(err, &e) || e.Hint != hint {
		t.Errorf("the hint is %q, want %q", e.Hint, hint)
	}
}

func TestRerunWithOtherInputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(), executions.Submission{
		ProfileID: w.Profile.ID, Script: "inputs", Inputs: json.RawMessage(`{"month":9}`), Label: "September",
		By: enginetest.Agent,
	})
	w.Must(err)
	w.UntilTerminal(x)
	for _, tt := range []struct {
		again        executions.Again
		printed      string
		label        string
		timeout      time.Duration
		inputsDiffer bool
	}{
		{executions.Again{}, `{"month":9}`, "September", x.Timeout, false},
		{executions.Again{Inputs: json.RawMessage(`{"month":10}`), Label: "October", Timeout: new(7.0)},
			`{"month":10}`, "October", 7 * time.Second, true},
	} {
		tt.again.By = enginetest.Agent
		again, err := w.Submitter.Rerun(t.Context(), x.Handle, tt.again)
		w.Must(err)
		again = w.UntilTerminal(again)
		out, err := w.Reader.Output(t.Context(), again.Handle)
		w.Must(err)
		if strings.TrimSpace(out.Stdout) != tt.printed || again.Label != tt.label || again.Timeout != tt.timeout {
			t.Errorf("printed %q, label %q, timeout %v", out.Stdout, again.Label, again.Timeout)
		}
		compared, err := w.Reader.Compare(t.Context(), again)
		w.Must(err)
		if differ := len(compared.Differs) == 1 && compared.Differs[0] == "inputs"; differ != tt.inputsDiffer {
			t.Errorf("differs in %v", compared.Differs)
		}
	}
	_, err = w.Submitter.Rerun(t.Context(), x.Handle, executions.Again{Label: "two\nlines", By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeInvalidField)
}
