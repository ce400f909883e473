package runner_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
)

func (w *world) rerun(x app.Execution, live bool) app.Execution {
	w.T.Helper()
	again, err := w.Submitter.Rerun(w.T.Context(), x.Handle, executions.Again{Live: live, By: enginetest.Person})
	w.Must(err)
	return again
}

// A re-run gets the same script, inputs and answers, also for repeated questions and failures.
// Nobody is asked.
func TestRerunPlaysBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "inputs\nask one\nask one\nask two\nresult {\"n\":1}",
			Inputs: json.RawMessage(`{"a": 1}`), By: enginetest.Agent})
	w.Must(err)
	w.ReplyWith(x, runner.Answer{Text: "first"})
	w.ReplyWith(x, runner.Answer{Text: "second, with " + enginetest.SecretValue})
	w.ReplyWith(x, runner.Answer{Failure: "no third"})
	x = w.Until(x, app.StatusCompleted)
	first, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	again := x
	for range 2 { // also a re-run of a re-run
		again = w.rerun(again, false)
		again = w.UntilTerminal(again)
		out, err := w.Reader.Output(t.Context(), again.Handle)
		w.Must(err)
		if again.Status != app.StatusCompleted || out.Stdout != first.Stdout || again.ID == x.ID ||
			again.Manifest.LLM != x.Manifest.LLM {
			t.Fatalf("%s: %s, output %q, was %q", again.Status, again.Error, out.Stdout, first.Stdout)
		}
		if again.LLMTime != 0 {
			t.Errorf("it waited %v", again.LLMTime)
		}
		c, err := w.Reader.Compare(t.Context(), again)
		w.Must(err)
		if c.SameResult == nil || !*c.SameResult || len(c.Differs) != 0 || c.Original.Handle == again.Handle {
			t.Errorf("compared: %+v", c)
		}
		list, err := w.Reader.Exchanges(t.Context(), again.Handle)
		w.Must(err)
		if len(list) != 3 || strings.Contains(list[1].Response, enginetest.SecretValue) || !list[2].Failed ||
			list[0].AnsweredBy.Kind != app.ActorSystem {
			t.Errorf("exchanges %+v", list)
		}
	}
}

// A question without a recorded answer ends the re-run and names its place, or is asked.
func TestRerunDiverges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("ask one\nresult 1")
	w.Until(x, app.StatusAwaitingLLM)
	_, err := w.Submitter.Rerun(t.Context(), x.Handle, executions.Again{By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeConflict)
	_, err = w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	again := w.Until(w.rerun(x, false), app.StatusError)
	if !strings.Contains(again.Error, "its question 1") || again.RerunOf != x.Handle {
		t.Errorf("error %q, of %q", again.Error, again.RerunOf)
	}
	live := w.rerun(x, true)
	w.ReplyWith(live, runner.Answer{Text: "yes"})
	live = w.Until(live, app.StatusCompleted)
	c, err := w.Reader.Compare(t.Context(), live)
	w.Must(err)
	if c.SameResult == nil || *c.SameResult || !slices.Equal(c.Differs, []string{"llm"}) {
		t.Errorf("compared: %+v", c)
	}
}

func TestRerunUnderAnotherPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _ := w.Finished("result 1", app.StatusCompleted)
	w.Require(app.Placement{MinTier: "full"})
	again := w.Until(w.rerun(x, false), app.StatusCompleted)
	c, err := w.Reader.Compare(t.Context(), again)
	w.Must(err)
	if c.SameResult == nil || !*c.SameResult || !slices.Equal(c.Differs, []string{"policy"}) {
		t.Errorf("compared: %+v", c)
	}
	_, err = w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	_, err = w.Submitter.Rerun(t.Context(), x.Handle, executions.Again{By: enginetest.Person})
	enginetest.WantCode(t, err, app.CodeProfileRevoked)
}
