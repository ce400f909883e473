package engine

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// keepWriter keeps the store's only writer, as an import does, until letGo is called.
func (w *world) keepWriter() (letGo func()) {
	writing, over, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- w.store.Write(w.t.Context(), func(*store.Tx) error {
			close(writing)
			<-over
			return nil
		})
	}()
	<-writing
	return func() {
		w.t.Helper()
		close(over)
		w.must(<-done)
	}
}

// An import keeps the store's only writer for minutes, and whoever claims or submits waits for it. Meanwhile what runs can be stopped, nobody waits longer than he
// may, and the server can be shut down.
func TestALongWriteKeepsNobodyFromStopping(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers = 1 })
	running, queued := w.submit("hang"), w.submit("result 1")
	w.untilStatus(running, app.StatusRunning)
	letGo := w.keepWriter()
	w.dispatch.Lock() // as who claims does, while it waits for the writer
	r := w.running(running.Handle)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := w.end(soon, running.Handle, stopCancelled(agent)); !errors.Is(err, context.DeadlineExceeded) || r.ctx.Err() == nil {
		t.Errorf("the running one: %v, stopped: %v; its end can't be stored yet", err, r.ctx.Err() != nil)
	}
	if err := w.end(soon, queued.Handle, stopCancelled(agent)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the queued one: %v", err)
	}
	w.Drain(soon)
	if h := w.Health(); h.Ready || h.Reason != beingStopped {
		t.Errorf("it does not drain: %+v", h)
	}
	w.dispatch.Unlock()
	letGo()
	w.untilStatus(running, app.StatusCancelled)
	w.untilStatus(queued, app.StatusPending)
	w.must(w.Close(t.Context()))
	w.startEngine()
	w.untilStatus(queued, app.StatusCompleted)
}

// TestCancellationIsAuditedOnceItCanBe: while another process kept the database the audit log missed a cancellation for good.
func TestCancellationIsAuditedOnceItCanBe(t *testing.T) {
	w := newWorld(t)
	other, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, store.FileName)+"?_txlock=immediate")
	w.must(err)
	defer other.Close()
	kept, err := other.BeginTx(t.Context(), nil)
	w.must(err)
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	w.noteCancelled(soon, app.Event{At: w.now(), Actor: agent, Action: "execution.cancel", Subject: "x1"})
	cancel() // whoever cancelled waits no longer
	w.must(kept.Rollback())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		events, err := w.access.Audit(t.Context(), 0, 3)
		w.must(err)
		if len(events) > 0 && events[0].Subject == "x1" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the audit log has %+v", events)
		}
	}
}
