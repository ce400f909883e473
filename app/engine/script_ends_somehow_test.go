package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// In any order of actions, every accepted execution gets one final status, no secret gets out, and
// no box is left.
func TestEverythingEnds(t *testing.T) {
	w := newWorld(t, func(c *engine.Config) {
		c.Workers, c.Pool, c.Queue, c.QueuePerProfile, c.Timeouts.Answer = 2, 1, 100, 100, 50*time.Millisecond
	})
	lines := []string{"print x " + enginetest.SecretValue, "warn y", "ask one", "twice", "leave a question",
		"result {\"a\":\"" + enginetest.SecretValue + "\"}", "fail E: " + enginetest.SecretValue,
		"dial x.example.com 443"}
	ends := []string{"", "exit 1", "exit 0", "signal 9", "hang", "lost", "oom", "pids", "garbage", "vanish"}
	guests := []fake.Guest{guesttest.Play, guesttest.Play, guesttest.Play, fake.Exit(1), fake.LoseBox(), fake.OOM()}
	usages := []func(string) (plugins.Usage, error){enginetest.Measured, enginetest.Limited, enginetest.Unmeasured}
	rapid.Check(t, func(r *rapid.T) {
		var list []app.Execution
		defer w.Fake.SetGuest(guesttest.Play)
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			switch rapid.IntRange(0, 5).Draw(r, "action") {
			case 0, 1, 2:
				script := rapid.SliceOfN(rapid.SampledFrom(lines), 0, 4).Draw(r, "script")
				script = append(script, rapid.SampledFrom(ends).Draw(r, "end"), "print end")
				x, _, err := w.Submitter.Submit(t.Context(),
					executions.Submission{ProfileID: w.Profile.ID, Timeout: new(0.05), By: enginetest.Agent,
						Script: strings.Join(withoutEmpty(script), "\n")})
				if app.CodeOf(err) == app.CodeSandboxUnavailable {
					continue
				}
				if err != nil {
					r.Fatal(err)
				}
				list = append(list, x)
			case 3:
				if len(list) > 0 {
					x := rapid.SampledFrom(list).Draw(r, "cancelled")
					if _, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent); err != nil &&
						app.CodeOf(err) != app.CodeAlreadyEnded {
						r.Fatal(err)
					}
				}
			case 4:
				if len(list) > 0 {
					x := rapid.SampledFrom(list).Draw(r, "answered")
					if _, err := w.Controller.Respond(t.Context(), x.ID,
						runner.Answer{Text: "a", By: enginetest.Agent}); err != nil &&
						app.CodeOf(err) != app.CodeNotWaiting {
						r.Fatal(err)
					}
				}
			case 5:
				w.Fake.SetGuest(rapid.SampledFrom(guests).Draw(r, "guest"))
				w.Fake.SetUsage(rapid.SampledFrom(usages).Draw(r, "usage"))
			}
		}
		w.Fake.SetGuest(guesttest.Play)
		for _, x := range list {
			if err := w.checkEnd(x); err != nil {
				r.Fatal(err)
			}
		}
	})
	w.Must(w.Close(t.Context()))
	if open, _ := w.Fake.Open(); open != 0 {
		t.Errorf("%d boxes are left", open)
	}
}

func withoutEmpty(lines []string) []string {
	var kept []string
	for _, l := range lines {
		if l != "" {
			kept = append(kept, l)
		}
	}
	return kept
}

// checkEnd waits for the end of an execution without answers and checks its records.
func (w *world) checkEnd(x app.Execution) error {
	deadline := time.Now().Add(90 * time.Second) // a backend that failed rests for a while
	for !x.Status.Terminal() {
		nudges := w.Config.Hub.Subscribe()
		var err error
		if x, err = w.Reader.ByHandle(w.T.Context(), x.Handle); err != nil {
			nudges.Close()
			return err
		}
		if !x.Status.Terminal() {
			select {
			case <-nudges.C():
			case <-time.After(time.Until(deadline)):
				nudges.Close()
				return errors.New("still " + string(x.Status))
			}
		}
		nudges.Close()
	}
	out, err := w.Reader.Output(w.T.Context(), x.Handle)
	if err != nil {
		return err
	}
	exchanges, err := w.Reader.Exchanges(w.T.Context(), x.Handle)
	if err != nil {
		return err
	}
	all := x.Error + out.Stdout + out.Stderr + string(out.Result)
	for _, e := range exchanges {
		all += e.Prompt + e.Response
		if x.Status == app.StatusCompleted && e.AnsweredAt.IsZero() {
			return errors.New("completed with an open question")
		}
	}
	switch {
	case strings.Contains(all, enginetest.SecretValue):
		return errors.New("the secret got out")
	case x.Status != app.StatusCompleted && x.Error == "":
		return errors.New(string(x.Status) + " without a reason")
	case x.CompletedAt.IsZero():
		return errors.New("no time of the end")
	}
	_, err = w.Controller.Cancel(w.T.Context(), x.ID, enginetest.Agent)
	if app.CodeOf(err) != app.CodeAlreadyEnded {
		return errors.New("a terminal status was left")
	}
	return nil
}
