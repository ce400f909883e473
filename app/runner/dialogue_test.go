package runner_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("ask one\nask two\nresult 1")
	var ids []string
	for i, prompt := range []string{"one", "two"} {
		asked := w.Until(x, app.StatusAwaitingLLM)
		if asked.Request == nil || asked.Request.Prompt != prompt || asked.Request.Ordinal != i+1 {
			t.Fatalf("request %+v", asked.Request)
		}
		ids = append(ids, asked.Request.RequestID)
		_, err := w.Controller.Respond(t.Context(), x.ID,
			runner.Answer{RequestID: "llm_other", Text: "no", By: enginetest.Agent})
		enginetest.WantCode(t, err, app.CodeRequestMismatch)
		now, err := w.Controller.Respond(t.Context(), x.ID,
			runner.Answer{RequestID: ids[i], Text: "exactly " + prompt + " \x01 é", By: enginetest.Agent})
		w.Must(err)
		if now.Status == app.StatusAwaitingLLM && now.Request.RequestID == ids[i] {
			t.Errorf("still waits for %s", ids[i])
		}
	}
	done := w.Until(x, app.StatusCompleted)
	if _, err := w.Controller.Respond(t.Context(), x.ID,
		runner.Answer{Text: "late", By: enginetest.Agent}); app.CodeOf(err) != app.CodeNotWaiting {
		t.Errorf("a late answer: %v", err)
	}
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if want := "answer: exactly one \x01 é\nanswer: exactly two \x01 é\n"; out.Stdout != want {
		t.Errorf("stdout %q, want %q", out.Stdout, want)
	}
	list, err := w.Reader.Exchanges(t.Context(), x.Handle)
	w.Must(err)
	if len(list) != 2 || list[0].RequestID != ids[0] || list[1].Response != "exactly two \x01 é" ||
		list[1].AnsweredBy != enginetest.Agent || list[1].AnsweredAt.IsZero() {
		t.Errorf("exchanges %+v", list)
	}
	if done.LLMTime <= 0 || done.Manifest.LLM == "" {
		t.Errorf("LLM time %v, digest %q", done.LLMTime, done.Manifest.LLM)
	}
}

func TestFailureAsAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("ask one")
	w.Until(x, app.StatusAwaitingLLM)
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Failure: "no model", By: enginetest.Agent})
	w.Must(err)
	w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if out.Stdout != "answer: error no model\n" {
		t.Errorf("stdout %q", out.Stdout)
	}
}

func TestQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("twice")
	for range 2 {
		asked := w.Until(x, app.StatusAwaitingLLM)
		_, err := w.Controller.Respond(t.Context(), x.ID,
			runner.Answer{Text: "to " + asked.Request.Prompt, By: enginetest.Agent})
		w.Must(err)
	}
	w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if !strings.Contains(out.Stdout, "q1 to first\n") || !strings.Contains(out.Stdout, "q2 to second\n") {
		t.Errorf("stdout %q", out.Stdout)
	}
}

func TestEndWhileAsking(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 20 {
		x := w.Send("leave a question\nresult 1")
		done := w.UntilTerminal(x)
		switch done.Status {
		case app.StatusCompleted: // it ended before it could be frozen
		case app.StatusAwaitingLLM:
			t.Fatal("not terminal")
		}
		list, err := w.Reader.Exchanges(t.Context(), x.Handle)
		w.Must(err)
		if done.Status == app.StatusCompleted && len(list) == 1 && list[0].AnsweredAt.IsZero() {
			t.Errorf("an open question on a completed execution: %+v", list)
		}
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Timeouts.Answer = 50 * time.Millisecond })
	x := w.Send("ask anybody")
	x = w.UntilStatus(x, app.StatusTimeout)
	if !strings.Contains(x.Error, "no answer came") || !strings.Contains(x.Error, "AIRLOCK_LLM_WAIT") {
		t.Errorf("error %q", x.Error)
	}
}

// An answer accepted in time counts, however long storing it takes, and the agent is told so.
func TestAnAnswerThatIsBeingStoredIsInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Timeouts.Answer = time.Second })
	x := w.Send("ask one\nresult 1")
	w.Until(x, app.StatusAwaitingLLM)
	letGo := w.KeepWriter()
	answered := make(chan error)
	go func() {
		_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "yes", By: enginetest.Agent})
		answered <- err
	}()
	time.Sleep(w.Config.Timeouts.Answer + 200*time.Millisecond)
	letGo()
	w.Must(<-answered)
	w.UntilStatus(x, app.StatusCompleted)
}

// An answer waiting for an import also blocked readers of the execution.
func TestALongWriteKeepsNobodyFromReading(t *testing.T) {
	t.Parallel()
	counting, looks := enginetest.CountRedactions("dearly")
	w := newWorld(t, counting)
	x := w.Until(w.Send("ask one\nresult 1"), app.StatusAwaitingLLM)
	letGo := w.KeepWriter()
	answered := make(chan error)
	go func() {
		_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "dearly", By: enginetest.Agent})
		answered <- err
	}()
	enginetest.Within(t, func() bool { return looks.Load() > 0 })
	time.Sleep(50 * time.Millisecond) // from masking to waiting for the writer
	read := make(chan error)
	go func() {
		_, err := w.Reader.ByHandle(t.Context(), x.Handle)
		read <- err
	}()
	select {
	case err := <-read:
		letGo()
		w.Must(err)
	case <-time.After(10 * time.Second):
		letGo()
		t.Errorf("it was not read while its answer waited: %v", <-read)
	}
	w.Must(<-answered)
	w.UntilStatus(x, app.StatusCompleted)
}

// Waiting takes no run slot or run time. A resumed run precedes one that has not started.
func TestWaitingFreesTheSlot(t *testing.T) {
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	x, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "ask one\nresult 1", Timeout: new(0.3),
			By: enginetest.Agent})
	w.Must(err)
	w.Until(x, app.StatusAwaitingLLM)
	if h := w.Health(); h.Waiting != 1 || h.Running != 0 {
		t.Errorf("health %+v", h)
	}
	w.Finished("result 2", app.StatusCompleted) // the only slot is free
	blocker := w.Send("hang")
	w.UntilStatus(blocker, app.StatusRunning)
	next := w.Send("result 3")
	time.Sleep(400 * time.Millisecond) // longer than its timeout, by the wall clock
	_, err = w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "a", By: enginetest.Agent})
	w.Must(err)
	_, err = w.Controller.Cancel(t.Context(), blocker.ID, enginetest.Agent)
	w.Must(err)
	x, next = w.Until(x, app.StatusCompleted), w.Until(next, app.StatusCompleted)
	if next.CompletedAt.Before(x.CompletedAt) {
		t.Error("a new execution went before a resumed one")
	}
	if x.RunTime > 250*time.Millisecond || x.LLMTime < 400*time.Millisecond {
		t.Errorf("run time %v, LLM time %v", x.RunTime, x.LLMTime)
	}
}

func TestTooManyWaiters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Waiters = 1 })
	first := w.Send("ask one")
	w.Until(first, app.StatusAwaitingLLM)
	_, out := w.Finished("ask two", app.StatusCompleted)
	if !strings.Contains(out.Stdout, "AIRLOCK_WAITERS") {
		t.Errorf("stdout %q", out.Stdout)
	}
	w.UntilTerminal(first)
}

// Only the first of several concurrent answers is masked.
func TestAnswersAtOnceAreMaskedOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	words := map[string]bool{} // of the answers that were looked at
	w := newWorld(t, func(c *engine.Config) {
		c.Patterns = func(text string) []redact.Match {
			if word := answerWord.FindString(text); word != "" {
				mu.Lock()
				defer mu.Unlock()
				words[word] = true
			}
			return nil
		}
	})
	x := w.Until(w.Send("ask one"), app.StatusAwaitingLLM)
	var all sync.WaitGroup
	var taken atomic.Int64
	for i := range 8 {
		all.Go(func() {
			_, err := w.Controller.Respond(t.Context(), x.ID,
				runner.Answer{Text: fmt.Sprintf("dearly%d. ", i) + strings.Repeat("some words ", 20_000),
					By: enginetest.Agent})
			switch app.CodeOf(err) {
			case "":
				taken.Add(1)
			case app.CodeNotWaiting:
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.Until(x, app.StatusCompleted)
	mu.Lock()
	defer mu.Unlock()
	if len(words) != 1 || taken.Load() != 1 {
		t.Errorf("%d answers were looked at and %d taken, want one", len(words), taken.Load())
	}
}

var answerWord = regexp.MustCompile(`dearly\d`)

// An answer that nobody waits for is not masked. Its masks once counted as the execution's.
func TestRefusedAnswerCostsNothing(t *testing.T) {
	t.Parallel()
	counting, looks := enginetest.CountRedactions("dearly")
	w := newWorld(t, counting)
	x := w.Send("ask one")
	w.Until(x, app.StatusAwaitingLLM)
	hang := w.Send("hang")
	w.UntilStatus(hang, app.StatusRunning)
	for _, a := range []struct {
		to   app.Execution
		id   string
		code app.Code
	}{{x, "llm_other", app.CodeRequestMismatch}, {hang, "", app.CodeNotWaiting}} {
		_, err := w.Controller.Respond(t.Context(), a.to.ID,
			runner.Answer{RequestID: a.id, Text: "dearly " + enginetest.SecretValue, By: enginetest.Agent})
		enginetest.WantCode(t, err, a.code)
	}
	if n := looks.Load(); n != 0 {
		t.Errorf("an answer was looked at %d times in vain", n)
	}
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "dearly " + enginetest.SecretValue,
		By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusCompleted)
	if n := looks.Load(); n == 0 {
		t.Error("the answer was not looked at")
	}
}
