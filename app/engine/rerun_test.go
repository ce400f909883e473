package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func (w *world) rerun(x app.Execution, live bool) app.Execution {
	w.t.Helper()
	again, err := w.Rerun(w.t.Context(), x.Handle, live, person, "")
	w.must(err)
	return again
}

func (w *world) replyWith(x app.Execution, a Answer) {
	w.t.Helper()
	w.until(x, app.StatusAwaitingLLM)
	a.By = agent
	_, err := w.Respond(w.t.Context(), x.ID, a)
	w.must(err)
}

// A re-run gets the same script, the same inputs and the same answers, also twice the same question and a failure, and nobody is asked.
func TestRerunPlaysBack(t *testing.T) {
	w := newWorld(t)
	x, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "inputs\nask one\nask one\nask two\nresult {\"n\":1}", Inputs: json.RawMessage(`{"a": 1}`), By: agent})
	w.must(err)
	w.replyWith(x, Answer{Text: "first"})
	w.replyWith(x, Answer{Text: "second, with " + secretValue})
	w.replyWith(x, Answer{Failure: "no third"})
	x = w.until(x, app.StatusCompleted)
	first, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	again := x
	for range 2 { // also a re-run of a re-run
		again = w.rerun(again, false)
		again = w.untilTerminal(again)
		out, err := w.Output(t.Context(), again.Handle)
		w.must(err)
		if again.Status != app.StatusCompleted || out.Stdout != first.Stdout || again.ID == x.ID || again.Manifest.LLM != x.Manifest.LLM {
			t.Fatalf("%s: %s, output %q, was %q", again.Status, again.Error, out.Stdout, first.Stdout)
		}
		if again.LLMTime != 0 {
			t.Errorf("it waited %v", again.LLMTime)
		}
		c, err := w.Compare(t.Context(), again)
		w.must(err)
		if c.SameResult == nil || !*c.SameResult || len(c.Differs) != 0 || c.Original.Handle == again.Handle {
			t.Errorf("compared: %+v", c)
		}
		list, err := w.Exchanges(t.Context(), again.Handle)
		w.must(err)
		if len(list) != 3 || strings.Contains(list[1].Response, secretValue) || !list[2].Failed || list[0].AnsweredBy.Kind != app.ActorSystem {
			t.Errorf("exchanges %+v", list)
		}
	}
}

// What was not asked then ends the re-run and says where, or is asked for real.
func TestRerunDiverges(t *testing.T) {
	w := newWorld(t)
	x := w.submit("ask one\nresult 1")
	w.until(x, app.StatusAwaitingLLM)
	_, err := w.Rerun(t.Context(), x.Handle, false, agent, "")
	wantCode(t, err, app.CodeConflict)
	_, err = w.Cancel(t.Context(), x.ID, agent)
	w.must(err)
	again := w.until(w.rerun(x, false), app.StatusError)
	if !strings.Contains(again.Error, "its question 1") || again.RerunOf != x.Handle {
		t.Errorf("error %q, of %q", again.Error, again.RerunOf)
	}
	live := w.rerun(x, true)
	w.replyWith(live, Answer{Text: "yes"})
	live = w.until(live, app.StatusCompleted)
	c, err := w.Compare(t.Context(), live)
	w.must(err)
	if c.SameResult == nil || *c.SameResult || !slices.Equal(c.Differs, []string{"llm"}) {
		t.Errorf("compared: %+v", c)
	}
}

func TestRerunUnderAnotherPolicy(t *testing.T) {
	w := newWorld(t)
	x, _ := w.finished("result 1", app.StatusCompleted)
	w.require(app.Placement{MinTier: "full"})
	again := w.until(w.rerun(x, false), app.StatusCompleted)
	c, err := w.Compare(t.Context(), again)
	w.must(err)
	if c.SameResult == nil || !*c.SameResult || !slices.Equal(c.Differs, []string{"policy"}) {
		t.Errorf("compared: %+v", c)
	}
	_, err = w.access.Revoke(t.Context(), person, w.profile.Handle)
	w.must(err)
	_, err = w.Rerun(t.Context(), x.Handle, false, person, "")
	wantCode(t, err, app.CodeProfileRevoked)
}
