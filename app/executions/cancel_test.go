package executions_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Pool = 1, -1 })
	running := w.Send("hang")
	w.UntilStatus(running, app.StatusRunning)
	pending := w.Send("result 1")
	for _, x := range []app.Execution{pending, running} {
		got, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
		w.Must(err)
		if got.Status != app.StatusCancelled || got.Error != "cancelled by the agent" || got.CompletedAt.IsZero() {
			t.Errorf("%+v", got)
		}
		_, err = w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
		enginetest.WantCode(t, err, app.CodeAlreadyEnded)
	}
	waiting := w.Send("ask one")
	w.Until(waiting, app.StatusAwaitingLLM)
	got, err := w.Controller.Cancel(t.Context(), waiting.ID, enginetest.Person)
	w.Must(err)
	if got.Status != app.StatusCancelled || got.Error != "cancelled by a person" {
		t.Errorf("%+v", got)
	}
	events, err := w.Access.Audit.Latest(t.Context(), 3)
	w.Must(err)
	if len(events) != 3 || events[0].Action != "execution.cancel" || events[0].Actor != enginetest.Person ||
		events[0].Subject != waiting.Handle || events[2].Actor != enginetest.Agent {
		t.Errorf("audit %+v", events)
	}
	if open, _ := w.Fake.Open(); open != 0 {
		t.Errorf("%d boxes are still open", open)
	}
	if _, err := w.Controller.Respond(t.Context(), waiting.ID,
		runner.Answer{Text: "late", By: enginetest.Agent}); app.CodeOf(err) != app.CodeNotWaiting {
		t.Errorf("answer after the end: %v", err)
	}
}

// While an import holds the store's writer, executions can be stopped, waits are bounded, and the
// server can shut down.
func TestALongWriteKeepsNobodyFromStopping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	running, queued := w.Send("hang"), w.Send("result 1")
	w.UntilStatus(running, app.StatusRunning)
	letGo := w.KeepWriter()
	claiming, claimed := make(chan struct{}), make(chan struct{})
	go func() { // as a claim does, while it waits for the writer
		_ = w.Scheduler.WithoutClaims(context.Background(), func() error {
			close(claiming)
			<-claimed
			return nil
		})
	}()
	<-claiming
	run, cause := w.Runner.Find(running.Handle), runner.StopCancelled(enginetest.Agent)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := w.Controller.End(soon, running.Handle, cause); !errors.Is(err, context.DeadlineExceeded) ||
		!run.StoppedBy(cause) {
		t.Errorf("the running one: %v, stopped: %v; its end can't be stored yet", err, run.StoppedBy(cause))
	}
	if err := w.Controller.End(soon, queued.Handle, cause); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the queued one: %v", err)
	}
	w.Drain(soon)
	if h := w.Health(); h.Ready || h.Reason != scheduler.StoppingReason {
		t.Errorf("it does not drain: %+v", h)
	}
	close(claimed)
	letGo()
	w.UntilStatus(running, app.StatusCancelled)
	w.UntilStatus(queued, app.StatusPending)
	w.Must(w.Close(t.Context()))
	w.StartEngine()
	w.UntilStatus(queued, app.StatusCompleted)
}

// TestACancelOfAnEndedScriptIsLate: its end can't be stored for longer than a cancel waits.
func TestACancelOfAnEndedScriptIsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Pool = 1, 1 })
	var gate sync.RWMutex
	w.Fake.SetGuest(func(ctx context.Context, spec plugins.Spec, in io.Reader, out io.Writer) (plugins.Exit, error) {
		return guesttest.Play(ctx, spec, gated{in.(io.ReadCloser), &gate}, out)
	})
	w.Finished("result 0", app.StatusCompleted) // takes the box that may be ready already
	w.AwaitWarm(1)
	gate.Lock()
	x := w.Send("result 1")
	w.UntilStatus(x, app.StatusRunning)
	letGo := w.KeepWriter()
	gate.Unlock()
	w.AwaitSlots(1)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	enginetest.WantCode(t, w.Controller.End(soon, x.Handle, runner.StopCancelled(enginetest.Agent)), app.CodeAlreadyEnded)
	letGo()
	w.UntilStatus(x, app.StatusCompleted)
}

// gated is a stream whose reader waits while the gate is locked.
type gated struct {
	io.ReadCloser
	gate *sync.RWMutex
}

func (g gated) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	g.gate.RLock()
	defer g.gate.RUnlock()
	return n, err
}

// TestCancellationIsAuditedOnceItCanBe: a locked database delays the audit of a cancellation, no
// more.
func TestCancellationIsAuditedOnceItCanBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, err := sql.Open("sqlite", "file:"+filepath.Join(w.Dir, store.FileName)+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	w.Must(err)
	defer other.Close()
	kept, err := other.BeginTx(t.Context(), nil)
	w.Must(err)
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	w.Controller.AuditCancel(soon, app.Event{At: time.Now(), Actor: enginetest.Agent, Action: "execution.cancel",
		Subject: "x1"})
	cancel() // the caller waits no longer
	w.Must(kept.Rollback())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		events, err := w.Access.Audit.Latest(t.Context(), 3)
		w.Must(err)
		if len(events) > 0 && events[0].Subject == "x1" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the audit log has %+v", events)
		}
	}
}
