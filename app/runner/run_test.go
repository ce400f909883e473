package runner_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/plugins/fake"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "print before\nhang", Timeout: new(0.1),
			By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusTimeout)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if !strings.Contains(x.Error, "timeout of 0.1 s") || out.Stdout != "before\n" || x.RunTime < 100*time.Millisecond {
		t.Errorf("%+v %+v", x, out)
	}
}

// Anybody's revocation ends everything at once, including polling and answering.
func TestRevoke(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"here", "by another process"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t)
			running, waiting, queued := w.Send("hang"), w.Send("ask one"), app.Execution{}
			w.UntilStatus(running, app.StatusRunning)
			w.Until(waiting, app.StatusAwaitingLLM)
			w.Send("hang") // takes the slot that the waiting one gave away
			if how == "here" {
				queued = w.Send("result 1")
				_, err := w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
				w.Must(err)
				enginetest.Within(t, func() bool { return w.boxesOpen() <= 2 }) // those that wait for the next execution
			} else {
				w.Elsewhere(func(a *access.Parts) error {
					_, err := a.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
					return err
				})
			}
			for _, x := range []app.Execution{running, waiting, queued} {
				if x.Handle == "" {
					continue
				}
				x = w.UntilStatus(x, app.StatusCancelled)
				if !strings.Contains(x.Error, "the profile was revoked") {
					t.Errorf("error %q", x.Error)
				}
			}
			_, err := w.Reader.ByID(t.Context(), running.ID)
			enginetest.WantCode(t, err, app.CodeProfileRevoked)
			_, err = w.Reader.Await(t.Context(), running, time.Second)
			enginetest.WantCode(t, err, app.CodeProfileRevoked)
			_, err = w.Controller.Respond(t.Context(), waiting.ID, runner.Answer{Text: "x", By: enginetest.Agent})
			enginetest.WantCode(t, err, app.CodeProfileRevoked)
			_, _, err = w.Submitter.Submit(t.Context(),
				executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent})
			enginetest.WantCode(t, err, app.CodeProfileRevoked)
		})
	}
}

func TestDeletedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("hang")
	w.UntilStatus(x, app.StatusRunning)
	w.Elsewhere(func(a *access.Parts) error {
		return a.Profiles.Delete(t.Context(), enginetest.Person, w.Profile.Handle)
	})
	x = w.UntilStatus(x, app.StatusCancelled)
	if !strings.Contains(x.Error, "deleted") || x.Profile != "test profile" {
		t.Errorf("%+v", x)
	}
}

// Expiry blocks unstarted executions and lets running ones go on.
func TestExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	running := w.Send("ask one\nresult 1")
	w.Until(running, app.StatusAwaitingLLM)
	blocker := w.Send("print up\nhang")
	for out := (app.Output{}); !strings.Contains(out.Stdout, "up"); time.Sleep(time.Millisecond) {
		out, _ = w.Reader.LiveOutput(blocker.Handle) // only a script that was sent has any
	}
	queued := w.Send("result 1")
	_, err := w.Access.Lifecycle.SetExpiry(t.Context(), enginetest.Person, w.Profile.Handle,
		time.Now().Add(30*time.Millisecond))
	w.Must(err)
	time.Sleep(50 * time.Millisecond)
	_, _, err = w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID, Script: "result 1",
		By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeProfileExpired)
	_, err = w.Controller.Respond(t.Context(), running.ID, runner.Answer{Text: "x", By: enginetest.Agent})
	w.Must(err)
	_, err = w.Controller.Cancel(t.Context(), blocker.ID, enginetest.Agent)
	w.Must(err)
	w.Until(running, app.StatusCompleted)
	queued = w.Until(queued, app.StatusError)
	if !strings.Contains(queued.Error, "expired") || !queued.StartedAt.IsZero() {
		t.Errorf("%+v", queued)
	}
}

// Queued executions get the policy and values of their start.
func TestBoundAtDispatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	blocker := w.Send("hang")
	w.UntilStatus(blocker, app.StatusRunning)
	queued := w.Send("setting DB_HOST")
	_, err := w.Access.Hosts.Set(t.Context(), enginetest.Person, w.Profile.Handle,
		[]app.Host{{Name: "api.example.com", Ports: []int{443}}}, nil)
	w.Must(err)
	_, err = w.Access.Credentials.Set(t.Context(), enginetest.Person,
		credentials.Input{Name: "DB_HOST", Mode: app.ModePlain, Value: app.NewSecret("new.example.com")})
	w.Must(err)
	_, err = w.Controller.Cancel(t.Context(), blocker.ID, enginetest.Agent)
	w.Must(err)
	x := w.Until(queued, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if x.Policy != 2 || out.Stdout != "new.example.com\n" {
		t.Errorf("policy %d, stdout %q", x.Policy, out.Stdout)
	}
}

// A box that dies before its script was sent is replaced. A sent script is never sent again.
func TestBoxesThatDie(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Pool = -1 })
	before := len(w.Fake.Opened())
	w.Fake.SetGuest(fake.InTurn(fake.Exit(1), fake.LoseBox(), guesttest.Play))
	w.Finished("result 1", app.StatusCompleted)
	if n := len(w.Fake.Opened()) - before; n != 3 {
		t.Errorf("%d boxes were opened, want 3", n)
	}
	before = len(w.Fake.Opened())
	w.Fake.SetGuest(guesttest.Play)
	x, _ := w.Finished("lost", app.StatusError)
	if n := len(w.Fake.Opened()) - before; n != 1 {
		t.Errorf("%d boxes were opened for a script that had been sent, want 1: %s", n, x.Error)
	}
}

func TestBackendGoesAndComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Pool = -1 })
	w.Fake.SetGuest(fake.Garbage([]byte("nonsense, and a lot of it, more than a header"), fake.Exit(1)))
	x, _ := w.Finished("result 1", app.StatusError)
	if !x.StartedAt.IsZero() || strings.Contains(x.Error, "nonsense") {
		t.Errorf("%+v", x)
	}
	w.Fake.SetGuest(guesttest.Play)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !w.Health().Ready { // the check runs in the background
		if sleep.For(ctx, 5*time.Millisecond) != nil {
			t.Fatal("the backend never came back")
		}
	}
	w.Finished("result 1", app.StatusCompleted)
}
