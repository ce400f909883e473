package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/plugins/fake"
	"github.com/computclaw/airlock/store"
)

func TestCancel(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers, c.Pool = 1, -1 })
	running := w.submit("hang")
	w.untilStatus(running, app.StatusRunning)
	pending := w.submit("result 1")
	for _, x := range []app.Execution{pending, running} {
		got, err := w.Cancel(t.Context(), x.ID, agent)
		w.must(err)
		if got.Status != app.StatusCancelled || got.Error != "cancelled by the agent" || got.CompletedAt.IsZero() {
			t.Errorf("%+v", got)
		}
		_, err = w.Cancel(t.Context(), x.ID, agent)
		wantCode(t, err, app.CodeAlreadyEnded)
	}
	waiting := w.submit("ask one")
	w.until(waiting, app.StatusAwaitingLLM)
	got, err := w.Cancel(t.Context(), waiting.ID, person)
	w.must(err)
	if got.Status != app.StatusCancelled || got.Error != "cancelled by a person" {
		t.Errorf("%+v", got)
	}
	events, err := w.access.Audit(t.Context(), 0, 3)
	w.must(err)
	if len(events) != 3 || events[0].Action != "execution.cancel" || events[0].Actor != person || events[0].Subject != waiting.Handle || events[2].Actor != agent {
		t.Errorf("audit %+v", events)
	}
	if open, _ := w.fake.Open(); open != 0 {
		t.Errorf("%d boxes are still open", open)
	}
	if _, err := w.Respond(t.Context(), waiting.ID, Answer{Text: "late", By: agent}); app.CodeOf(err) != app.CodeNotWaiting {
		t.Errorf("answer after the end: %v", err)
	}
}

func TestTimeout(t *testing.T) {
	w := newWorld(t)
	x, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "print before\nhang", Timeout: 100 * time.Millisecond, By: agent})
	w.must(err)
	x = w.until(x, app.StatusTimeout)
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if !strings.Contains(x.Error, "timeout of 0.1 s") || out.Stdout != "before\n" || x.RunTime < 100*time.Millisecond {
		t.Errorf("%+v %+v", x, out)
	}
}

// Revocation ends everything at once, whoever does it, and closes polling and answering.
func TestRevoke(t *testing.T) {
	for _, how := range []string{"here", "by another process"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t)
			running, waiting, queued := w.submit("hang"), w.submit("ask one"), app.Execution{}
			w.untilStatus(running, app.StatusRunning)
			w.until(waiting, app.StatusAwaitingLLM)
			w.submit("hang") // takes the slot that the waiting one gave away
			if how == "here" {
				queued = w.submit("result 1")
				_, err := w.access.Revoke(t.Context(), person, w.profile.Handle)
				w.must(err)
				w.must(w.KillProfile(t.Context(), w.profile.Handle, "the profile was revoked"))
				if open, _ := w.fake.Open(); open > 2 { // those that wait for the next execution
					t.Errorf("%d boxes are open", open)
				}
			} else {
				w.elsewhere(func(a *access.Service) error {
					_, err := a.Revoke(t.Context(), person, w.profile.Handle)
					return err
				})
			}
			for _, x := range []app.Execution{running, waiting, queued} {
				if x.Handle == "" {
					continue
				}
				x = w.untilStatus(x, app.StatusCancelled)
				if !strings.Contains(x.Error, "the profile was revoked") {
					t.Errorf("error %q", x.Error)
				}
			}
			_, err := w.Execution(t.Context(), running.ID)
			wantCode(t, err, app.CodeProfileRevoked)
			_, err = w.Await(t.Context(), running.ID, time.Second)
			wantCode(t, err, app.CodeProfileRevoked)
			_, err = w.Respond(t.Context(), waiting.ID, Answer{Text: "x", By: agent})
			wantCode(t, err, app.CodeProfileRevoked)
			_, _, err = w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent})
			wantCode(t, err, app.CodeProfileRevoked)
		})
	}
}

// elsewhere acts as another process on the same data directory does.
func (w *world) elsewhere(act func(*access.Service) error) {
	w.t.Helper()
	s, err := store.Open(w.t.Context(), w.dir, nil)
	w.must(err)
	defer s.Close()
	w.must(act(access.New(access.Config{Store: s, Keyring: w.cfg.Keyring})))
}

func TestDeletedElsewhere(t *testing.T) {
	w := newWorld(t)
	x := w.submit("hang")
	w.untilStatus(x, app.StatusRunning)
	w.elsewhere(func(a *access.Service) error { return a.DeleteProfile(t.Context(), person, w.profile.Handle) })
	x = w.untilStatus(x, app.StatusCancelled)
	if !strings.Contains(x.Error, "deleted") || x.Profile != "test profile" {
		t.Errorf("%+v", x)
	}
}

// Expiry blocks what has not started and lets what runs go on.
func TestExpiry(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	running := w.submit("ask one\nresult 1")
	w.until(running, app.StatusAwaitingLLM)
	blocker := w.submit("hang")
	for x := blocker; x.StartedAt.IsZero(); time.Sleep(time.Millisecond) { // it is running as soon as it is claimed, and begins a moment later
		var err error
		x, err = w.Execution(t.Context(), blocker.ID)
		w.must(err)
	}
	queued := w.submit("result 1")
	_, err := w.access.SetExpiry(t.Context(), person, w.profile.Handle, time.Now().Add(30*time.Millisecond))
	w.must(err)
	time.Sleep(50 * time.Millisecond)
	_, _, err = w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent})
	wantCode(t, err, app.CodeProfileExpired)
	_, err = w.Respond(t.Context(), running.ID, Answer{Text: "x", By: agent})
	w.must(err)
	_, err = w.Cancel(t.Context(), blocker.ID, agent)
	w.must(err)
	w.until(running, app.StatusCompleted)
	queued = w.until(queued, app.StatusError)
	if !strings.Contains(queued.Error, "expired") || !queued.StartedAt.IsZero() {
		t.Errorf("%+v", queued)
	}
}

// What was queued gets the policy as it is when it starts, and rotated values.
func TestBoundAtDispatch(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	blocker := w.submit("hang")
	w.untilStatus(blocker, app.StatusRunning)
	queued := w.submit("setting DB_HOST")
	_, err := w.access.SetHosts(t.Context(), person, w.profile.Handle, []app.Host{{Name: "api.example.com", Ports: []int{443}}}, nil)
	w.must(err)
	_, err = w.access.SetCredential(t.Context(), person, access.CredentialInput{Name: "DB_HOST", Mode: app.ModePlain, Value: app.NewSecret("new.example.com")})
	w.must(err)
	_, err = w.Cancel(t.Context(), blocker.ID, agent)
	w.must(err)
	x := w.until(queued, app.StatusCompleted)
	out, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if x.Policy != 2 || out.Stdout != "new.example.com\n" {
		t.Errorf("policy %d, stdout %q", x.Policy, out.Stdout)
	}
}

// A stopped server marks what ran and keeps what was pending; the next one runs that.
func TestStopAndStart(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	waiting := w.submit("ask one")
	w.until(waiting, app.StatusAwaitingLLM)
	running := w.submit("print so far\nhang")
	w.untilStatus(running, app.StatusRunning)
	pending := w.submit("result 1")
	w.must(w.Close(t.Context()))
	for _, x := range []app.Execution{waiting, running} {
		x := w.untilStatus(x, app.StatusError)
		if x.Error != interruptedByStop {
			t.Errorf("error %q", x.Error)
		}
	}
	_, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent})
	wantCode(t, err, app.CodeSandboxUnavailable)
	w.untilStatus(pending, app.StatusPending)
	w.startEngine()
	w.until(pending, app.StatusCompleted)
}

// TestNothingIsClaimedOnceItDrains: what the queue's loop was about to claim when the drain began stays in the queue. Nobody would wait for its end.
func TestNothingIsClaimedOnceItDrains(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	running := w.submit("hang")
	w.untilStatus(running, app.StatusRunning)
	queued := w.submit("result 1")
	w.dispatch.Lock()
	w.mu.Lock()
	w.live[running.Handle].stop(stopCancelled(agent))
	w.mu.Unlock()
	for w.pending.Load() { // the loop has looked whether anything may run, and is about to claim
		time.Sleep(time.Millisecond)
	}
	w.mu.Lock()
	w.draining = true
	w.mu.Unlock()
	w.dispatch.Unlock()
	for !w.pending.Load() {
		time.Sleep(time.Millisecond)
	}
	w.untilStatus(queued, app.StatusPending)
	w.must(w.Close(t.Context()))
	w.startEngine()
	w.untilStatus(queued, app.StatusCompleted)
}

// An engine that drains takes nothing new, and lets go what can end; it doesn't wait longer than it may.
func TestDrain(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	waiting := w.submit("ask one")
	w.until(waiting, app.StatusAwaitingLLM)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		w.Drain(t.Context())
	}()
	w.await("it drains", func(h Health) bool { return !h.Ready && h.Reason == beingStopped })
	_, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: "result 1", By: agent})
	wantCode(t, err, app.CodeSandboxUnavailable)
	select {
	case <-drained:
		t.Error("it did not wait for an execution that waits for its answer")
	default:
	}
	_, err = w.Respond(t.Context(), waiting.ID, Answer{Text: "x", By: agent})
	w.must(err)
	<-drained
	w.untilStatus(waiting, app.StatusCompleted)
	w.must(w.Close(t.Context()))

	w.startEngine()
	running := w.submit("hang")
	w.untilStatus(running, app.StatusRunning)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	w.Drain(over)
	w.must(w.Close(t.Context()))
	if x := w.untilStatus(running, app.StatusError); x.Error != interruptedByStop {
		t.Errorf("error %q", x.Error)
	}
}

// A server that was killed can't say goodbye: the next one says it, and whether the script can have done anything.
func TestCrashAndStart(t *testing.T) {
	w := newWorld(t)
	left := map[string]app.Execution{}
	for _, how := range []string{"claimed", "started", "asking"} {
		x := w.submit("result 1")
		w.until(x, app.StatusCompleted)
		left[how] = w.asLeftBehind(how)
	}
	w.must(w.Close(t.Context()))
	w.startEngine()
	for how, x := range left {
		x, err := w.ByHandle(t.Context(), x.Handle)
		w.must(err)
		want := interruptedByCrash
		if how == "claimed" {
			want = interruptedUnstarted
		}
		if x.Status != app.StatusError || x.Error != want || x.CompletedAt.IsZero() || x.StartedAt.IsZero() != (how == "claimed") {
			t.Errorf("%s: %+v", how, x)
		}
	}
}

// asLeftBehind stores an execution the way a process leaves it that is killed at the worst moment.
func (w *world) asLeftBehind(how string) app.Execution {
	w.t.Helper()
	n := w.seal(Submission{Script: "hang", Timeout: time.Second}, w.profile.Handle, app.NewExecutionID())
	ctx := w.t.Context()
	w.dispatch.Lock()
	defer w.dispatch.Unlock()
	w.must(w.store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Enqueue(ctx, n); err != nil {
			return err
		}
		if _, ok, err := tx.Claim(ctx, "a dead process", "", time.Now()); err != nil || !ok {
			w.t.Fatal("not claimed", err)
		}
		if how == "claimed" {
			return nil
		}
		if err := tx.Dispatch(ctx, n.Handle, store.Dispatch{Policy: 1, Backend: "fake", Isolation: "full", At: time.Now()}); err != nil || how == "started" {
			return err
		}
		return tx.Ask(ctx, n.Handle, store.Question{RequestID: app.NewID(), Ordinal: 1, At: time.Now()})
	}))
	return app.Execution{Handle: n.Handle}
}

// A box that dies before its script was sent is replaced; afterwards the script is never sent again.
func TestBoxesThatDie(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Pool = -1 })
	before := len(w.fake.Opened())
	w.fake.SetGuest(fake.InTurn(fake.Exit(1), fake.Lost(), play))
	w.finished("result 1", app.StatusCompleted)
	if n := len(w.fake.Opened()) - before; n != 3 {
		t.Errorf("%d boxes were opened, want 3", n)
	}
	before = len(w.fake.Opened())
	w.fake.SetGuest(play)
	x, _ := w.finished("lost", app.StatusError)
	if n := len(w.fake.Opened()) - before; n != 1 {
		t.Errorf("%d boxes were opened for a script that had been sent, want 1: %s", n, x.Error)
	}
}

func TestBackendGoesAndComesBack(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Pool = -1 })
	w.fake.SetGuest(fake.Garbage([]byte("nonsense, and a lot of it, more than a header"), fake.Exit(1)))
	x, _ := w.finished("result 1", app.StatusError)
	if !x.StartedAt.IsZero() || strings.Contains(x.Error, "nonsense") {
		t.Errorf("%+v", x)
	}
	w.fake.SetGuest(play)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !w.Health().Ready { // the check runs in the background
		if pause(ctx, 5*time.Millisecond) != nil {
			t.Fatal("the backend never came back")
		}
	}
	w.finished("result 1", app.StatusCompleted)
}
