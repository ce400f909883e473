package executions_test

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// The next server reports executions of a killed one, and whether the script may have run.
func TestCrashAndStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	left := map[string]app.Execution{}
	for _, how := range []string{"claimed", "started", "asking"} {
		x := w.Send("result 1")
		w.Until(x, app.StatusCompleted)
		left[how] = w.asLeftBehind(how)
	}
	w.Must(w.Close(t.Context()))
	w.StartEngine()
	for how, x := range left {
		x, err := w.Reader.ByHandle(t.Context(), x.Handle)
		w.Must(err)
		want := runner.StopCrashed(true).Message
		if how == "claimed" {
			want = runner.StopCrashed(false).Message
		}
		if x.Status != app.StatusError || x.Error != want || x.CompletedAt.IsZero() ||
			x.StartedAt.IsZero() != (how == "claimed") {
			t.Errorf("%s: %+v", how, x)
		}
	}
}

// asLeftBehind stores an execution as a process killed at the worst moment leaves it.
func (w *world) asLeftBehind(how string) app.Execution {
	w.T.Helper()
	n := w.Submitter.Seal(executions.Submission{Script: "hang", Timeout: new(1.0)}, w.Profile.Handle)
	w.Must(w.Scheduler.WithoutClaims(w.T.Context(), func() error { return w.leaveBehind(n, how) }))
	return app.Execution{Handle: n.Handle}
}

func (w *world) leaveBehind(n store.NewExecution, how string) error {
	ctx := w.T.Context()
	return w.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Queue.Add(ctx, n); err != nil {
			return err
		}
		if _, ok, err := tx.Queue.Claim(ctx, "a dead process", "", time.Now()); err != nil || !ok {
			w.T.Fatal("not claimed", err)
		}
		if how == "claimed" {
			return nil
		}
		if err := tx.Queue.Dispatch(ctx, n.Handle,
			store.Dispatch{Policy: 1, Backend: "fake", Isolation: "full", At: time.Now()}); err != nil ||
			how == "started" {
			return err
		}
		return tx.Questions.Ask(ctx, n.Handle, store.Question{RequestID: app.NewID(), Ordinal: 1, At: time.Now()})
	})
}
