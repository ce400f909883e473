package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

func TestQuestions(t *testing.T) {
	w := newWorld(t)
	x := w.submit("ask one\nask two\nresult 1")
	var ids []string
	for i, prompt := range []string{"one", "two"} {
		asked := w.until(x, app.StatusAwaitingLLM)
		if asked.Request == nil || asked.Request.Prompt != prompt || asked.Request.Ordinal != i+1 {
			t.Fatalf("request %+v", asked.Request)
		}
		ids = append(ids, asked.Request.RequestID)
		_, err := w.Respond(t.Context(), x.ID, Answer{RequestID: "llm_other", Text: "no", By: agent})
		wantCode(t, err, app.CodeRequestMismatch)
		now, err := w.Respond(t.Context(), x.ID, Answer{RequestID: ids[i], Text: "exactly " + prompt + " \x01 é", By: agent})
		w.must(err)
		if now.Status == app.StatusAwaitingLLM && now.Request.RequestID == ids[i] {
			t.Errorf("still waits for %s", ids[i])
		}
	}
	done := w.until(x, app.StatusCompleted)
	if _, err := w.Respond(t.Context(), x.ID, Answer{Text: "late", By: agent}); app.CodeOf(err) != app.CodeNotWaiting {
		t.Errorf("a late answer: %v", err)
	}
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if want := "answer: exactly one \x01 é\nanswer: exactly two \x01 é\n"; out.Stdout != want {
		t.Errorf("stdout %q, want %q", out.Stdout, want)
	}
	list, err := w.Exchanges(t.Context(), x.Handle)
	w.must(err)
	if len(list) != 2 || list[0].RequestID != ids[0] || list[1].Response != "exactly two \x01 é" || list[1].AnsweredBy != agent || list[1].AnsweredAt.IsZero() {
		t.Errorf("exchanges %+v", list)
	}
	if done.LLMTime <= 0 || done.Manifest.LLM == "" {
		t.Errorf("LLM time %v, digest %q", done.LLMTime, done.Manifest.LLM)
	}
}

func TestFailureAsAnswer(t *testing.T) {
	w := newWorld(t)
	x := w.submit("ask one")
	w.until(x, app.StatusAwaitingLLM)
	_, err := w.Respond(t.Context(), x.ID, Answer{Failure: "no model", By: agent})
	w.must(err)
	w.until(x, app.StatusCompleted)
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if out.Stdout != "answer: error no model\n" {
		t.Errorf("stdout %q", out.Stdout)
	}
}

// Threads may ask at once; one question is open at a time.
func TestQuestionsAtOnce(t *testing.T) {
	w := newWorld(t)
	x := w.submit("twice")
	for range 2 {
		asked := w.until(x, app.StatusAwaitingLLM)
		_, err := w.Respond(t.Context(), x.ID, Answer{Text: "to " + asked.Request.Prompt, By: agent})
		w.must(err)
	}
	w.until(x, app.StatusCompleted)
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if !strings.Contains(out.Stdout, "q1 to first\n") || !strings.Contains(out.Stdout, "q2 to second\n") {
		t.Errorf("stdout %q", out.Stdout)
	}
}

// A script may end while one of its threads still asks.
func TestEndWhileAsking(t *testing.T) {
	w := newWorld(t)
	for range 20 {
		x := w.submit("leave a question\nresult 1")
		done := w.untilTerminal(x)
		switch done.Status {
		case app.StatusCompleted: // it ended before it could be frozen
		case app.StatusAwaitingLLM:
			t.Fatal("not terminal")
		}
		list, err := w.Exchanges(t.Context(), x.Handle)
		w.must(err)
		if done.Status == app.StatusCompleted && len(list) == 1 && list[0].AnsweredAt.IsZero() {
			t.Errorf("an open question on a completed execution: %+v", list)
		}
	}
}

// untilTerminal answers whatever is asked until the end.
func (w *world) untilTerminal(x app.Execution) app.Execution {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) { // an end takes a moment to be stored, and the question stands until then
		now, err := w.Await(w.t.Context(), x.ID, 20*time.Second)
		w.must(err)
		if now.Status.Terminal() {
			return now
		}
		if now.Status == app.StatusAwaitingLLM {
			if _, err := w.Respond(w.t.Context(), x.ID, Answer{Text: "yes", By: agent}); err != nil && app.CodeOf(err) != app.CodeNotWaiting {
				w.t.Fatal(err)
			}
		}
	}
	w.t.Fatal("it never ends")
	return app.Execution{}
}

func TestNoAnswer(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.LLMWait = 50 * time.Millisecond })
	x := w.submit("ask anybody")
	x = w.untilStatus(x, app.StatusTimeout)
	if !strings.Contains(x.Error, "no answer came") || !strings.Contains(x.Error, "AIRLOCK_LLM_WAIT") {
		t.Errorf("error %q", x.Error)
	}
}

// An answer that was accepted in time counts, however long it takes to store it: the agent is told that it came.
func TestAnAnswerThatIsBeingStoredIsInTime(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.LLMWait = time.Second })
	x := w.submit("ask one\nresult 1")
	w.until(x, app.StatusAwaitingLLM)
	letGo := w.keepWriter()
	answered := make(chan error)
	go func() {
		_, err := w.Respond(t.Context(), x.ID, Answer{Text: "yes", By: agent})
		answered <- err
	}()
	time.Sleep(w.cfg.LLMWait + 200*time.Millisecond)
	letGo()
	w.must(<-answered)
	w.untilStatus(x, app.StatusCompleted)
}

// Waiting takes no run slot and no run time, and a resumed run goes before one that has not started.
func TestWaitingFreesTheSlot(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	x, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "ask one\nresult 1", Timeout: 300 * time.Millisecond, By: agent})
	w.must(err)
	w.until(x, app.StatusAwaitingLLM)
	if h := w.Health(); h.Waiting != 1 || h.Running != 0 {
		t.Errorf("health %+v", h)
	}
	w.finished("result 2", app.StatusCompleted) // the only slot is free
	blocker := w.submit("hang")
	w.untilStatus(blocker, app.StatusRunning)
	next := w.submit("result 3")
	time.Sleep(400 * time.Millisecond) // longer than its timeout, by the wall clock
	_, err = w.Respond(t.Context(), x.ID, Answer{Text: "a", By: agent})
	w.must(err)
	_, err = w.Cancel(t.Context(), blocker.ID, agent)
	w.must(err)
	x, next = w.until(x, app.StatusCompleted), w.until(next, app.StatusCompleted)
	if next.CompletedAt.Before(x.CompletedAt) {
		t.Error("a new execution went before a resumed one")
	}
	if x.RunTime > 250*time.Millisecond || x.LLMTime < 400*time.Millisecond {
		t.Errorf("run time %v, LLM time %v", x.RunTime, x.LLMTime)
	}
}

func TestTooManyWaiters(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Waiters = 1 })
	first := w.submit("ask one")
	w.until(first, app.StatusAwaitingLLM)
	_, out := w.finished("ask two", app.StatusCompleted)
	if !strings.Contains(out.Stdout, "AIRLOCK_WAITERS") {
		t.Errorf("stdout %q", out.Stdout)
	}
	w.untilTerminal(first)
}

// TestValueInPiecesOverQuestions: what one question begins, the next one doesn't complete.
func TestValueInPiecesOverQuestions(t *testing.T) {
	w := newWorld(t)
	a, b := secretValue[:11], secretValue[11:]
	x := w.submit("ask what is " + a + "\nask " + b + " for\nresult 1")
	for range 2 {
		asked := w.until(x, app.StatusAwaitingLLM)
		_, err := w.Respond(t.Context(), x.ID, Answer{RequestID: asked.Request.RequestID, Text: "nothing", By: agent})
		w.must(err)
	}
	w.until(x, app.StatusCompleted)
	list, err := w.Exchanges(t.Context(), x.Handle)
	w.must(err)
	if len(list) != 2 || !strings.Contains(list[0].Prompt, a) || strings.Contains(list[1].Prompt, b) || !strings.Contains(list[1].Prompt, "REDACTED") {
		t.Errorf("questions %+v", list)
	}
}
