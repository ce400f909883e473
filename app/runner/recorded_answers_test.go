package runner_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
)

func (w *world) rerun(x app.Execution, live bool) app.Execution {
	w.T.Helper()
	again, err := w.Rerun(w.T.Context(), x.Handle, live, enginetest.Person, "")
	w.Must(err)
	return again
}

// A re-run gets the same script, the same inputs and the same answers, also twice the same question
// and a failure, and nobody is asked.
func TestRerunPlaysBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submit(t.Context(),
		engine.Submission{ProfileID: w.Profile.ID, Script: "inputs\nask one\nask one\nask two\nresult {\"n\":1}",
			Inputs: json.RawMessage(`{"a": 1}`), By: enginetest.Agent})
	w.Must(err)
	w.ReplyWith(x, engine.Answer{Text: "first"})
	w.ReplyWith(x, engine.Answer{Text: "second, with " + enginetest.SecretValue})
	w.ReplyWith(x, engine.Answer{Failure: "no third"})
	x = w.Until(x, app.StatusCompleted)
	first, err := w.Output(t.Context(), x.Handle)
	w.Must(err)
	again := x
	for range 2 { // also a re-run of a re-run
		again = w.rerun(again, false)
		again = w.UntilTerminal(again)
		out, err := w.Output(t.Context(), again.Handle)
		w.Must(err)
		if again.Status != app.StatusCompleted || out.Stdout != first.Stdout || again.ID == x.ID ||
			again.Manifest.LLM != x.Manifest.LLM {
			t.Fatalf("%s: %s, output %q, was %q", again.Status, again.Error, out.Stdout, first.Stdout)
		}
		if again.LLMTime != 0 {
			t.Errorf("it waited %v", again.LLMTime)
		}
		c, err := w.Compare(t.Context(), again)
		w.Must(err)
		if c.SameResult == nil || !*c.SameResult || len(c.Differs) != 0 || c.Original.Handle == again.Handle {
			t.Errorf("compared: %+v", c)
		}
		list, err := w.Exchanges(t.Context(), again.Handle)
		w.Must(err)
		if len(list) != 3 || strings.Contains(list[1].Response, enginetest.SecretValue) || !list[2].Failed ||
			list[0].AnsweredBy.Kind != app.ActorSystem {
			t.Errorf("exchanges %+v", list)
		}
	}
}

// What was not asked then ends the re-run and says where, or is asked for real.
func TestRerunDiverges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("ask one\nresult 1")
	w.Until(x, app.StatusAwaitingLLM)
	_, err := w.Rerun(t.Context(), x.Handle, false, enginetest.Agent, "")
	enginetest.WantCode(t, err, app.CodeConflict)
	_, err = w.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	again := w.Until(w.rerun(x, false), app.StatusError)
	if !strings.Contains(again.Error, "its question 1") || again.RerunOf != x.Handle {
		t.Errorf("error %q, of %q", again.Error, again.RerunOf)
	}
	live := w.rerun(x, true)
	w.ReplyWith(live, engine.Answer{Text: "yes"})
	live = w.Until(live, app.StatusCompleted)
	c, err := w.Compare(t.Context(), live)
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
	c, err := w.Compare(t.Context(), again)
	w.Must(err)
	if c.SameResult == nil || !*c.SameResult || !slices.Equal(c.Differs, []string{"policy"}) {
		t.Errorf("compared: %+v", c)
	}
	_, err = w.Access.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	_, err = w.Rerun(t.Context(), x.Handle, false, enginetest.Person, "")
	enginetest.WantCode(t, err, app.CodeProfileRevoked)
}
