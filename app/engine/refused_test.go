package engine

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// looked is a world that counts how often the redactor looks for secrets in texts with the word.
func looked(t *testing.T, word string, change func(*Config)) (*world, *atomic.Int64) {
	var n atomic.Int64
	return newWorld(t, change, func(c *Config) {
		c.Patterns = func(text string) []redact.Match {
			if strings.Contains(text, word) {
				n.Add(1)
			}
			return nil
		}
	}), &n
}

// TestRefusedScriptCostsNothing: to mask a script of 1 MiB takes up to two seconds, which a profile whose queue is full could once have spent as often as it liked, and so could
// who repeats a request with its key, or runs something again.
func TestRefusedScriptCostsNothing(t *testing.T) {
	w, looks := looked(t, "dearly", func(c *Config) { c.Workers, c.QueuePerProfile = 1, 1 })
	dear := "result 1\n# dearly " + strings.Repeat("x", dearScript)
	ended := w.submit("result 2\nprint " + dear[len("result 1\n"):])
	w.until(ended, app.StatusCompleted)
	blocker := w.submit("hang")
	w.untilStatus(blocker, app.StatusRunning)
	first, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: dear, IdempotencyKey: "k", By: agent})
	w.must(err)
	if looks.Load() == 0 {
		t.Fatal("no script was looked at")
	}
	looks.Store(0)
	_, _, err = w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: dear, By: agent})
	wantCode(t, err, app.CodeQueueFull)
	_, err = w.Rerun(t.Context(), ended.Handle, false, agent, "")
	wantCode(t, err, app.CodeQueueFull)
	_, _, err = w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: dear + "y", IdempotencyKey: "k", By: agent})
	wantCode(t, err, app.CodeIdempotencyReused)
	again, replayed, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: dear, IdempotencyKey: "k", By: agent})
	w.must(err)
	if !replayed || again.ID != first.ID || again.ProfileID != w.profile.ID {
		t.Errorf("replayed %v: %+v", replayed, again)
	}
	if n := looks.Load(); n != 0 {
		t.Errorf("the script was looked at %d times in vain", n)
	}
}

// TestAnswersAtOnceAreMaskedOnce: of many answers that came together to one question each was masked, though only one of them counts.
func TestAnswersAtOnceAreMaskedOnce(t *testing.T) {
	var mu sync.Mutex
	words := map[string]bool{} // of the answers that were looked at
	w := newWorld(t, func(c *Config) {
		c.Patterns = func(text string) []redact.Match {
			if word := answerWord.FindString(text); word != "" {
				mu.Lock()
				defer mu.Unlock()
				words[word] = true
			}
			return nil
		}
	})
	x := w.until(w.submit("ask one"), app.StatusAwaitingLLM)
	var all sync.WaitGroup
	var taken atomic.Int64
	for i := range 8 {
		all.Go(func() {
			_, err := w.Respond(t.Context(), x.ID, Answer{Text: fmt.Sprintf("dearly%d. ", i) + strings.Repeat("some words ", 20_000), By: agent})
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
	w.until(x, app.StatusCompleted)
	mu.Lock()
	defer mu.Unlock()
	if len(words) != 1 || taken.Load() != 1 {
		t.Errorf("%d answers were looked at and %d taken, want one", len(words), taken.Load())
	}
}

var answerWord = regexp.MustCompile(`dearly\d`)

// TestRefusedAnswerCostsNothing: likewise for an answer that nobody waits for, whose masks once counted as the execution's too.
func TestRefusedAnswerCostsNothing(t *testing.T) {
	w, looks := looked(t, "dearly", func(*Config) {})
	x := w.submit("ask one")
	w.until(x, app.StatusAwaitingLLM)
	hang := w.submit("hang")
	w.untilStatus(hang, app.StatusRunning)
	for _, a := range []struct {
		to   app.Execution
		id   string
		code app.Code
	}{{x, "llm_other", app.CodeRequestMismatch}, {hang, "", app.CodeNotWaiting}} {
		_, err := w.Respond(t.Context(), a.to.ID, Answer{RequestID: a.id, Text: "dearly " + secretValue, By: agent})
		wantCode(t, err, a.code)
	}
	if n := looks.Load(); n != 0 {
		t.Errorf("an answer was looked at %d times in vain", n)
	}
	_, err := w.Respond(t.Context(), x.ID, Answer{Text: "dearly " + secretValue, By: agent})
	w.must(err)
	x = w.until(x, app.StatusCompleted)
	if n := looks.Load(); n == 0 {
		t.Error("the answer was not looked at")
	}
}
