package executions_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

func (w *world) askedAgain(x app.Execution) (app.Execution, app.Output, error) {
	w.T.Helper()
	again, err := w.Reader.ByID(w.T.Context(), x.ID)
	if err != nil {
		return again, app.Output{}, err
	}
	out, _, err := w.Reader.ReadEnded(w.T.Context(), again)
	return again, out, err
}

func TestEndedIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, want := w.Finished("result 41", app.StatusCompleted)
	first, out, err := w.askedAgain(x)
	w.Must(err)
	if w.Reader.CachedCount() != 1 {
		t.Fatalf("%d are kept", w.Reader.CachedCount())
	}
	again, outAgain, err := w.askedAgain(x)
	w.Must(err)
	if diff := cmp.Diff(first, again) + cmp.Diff(out, outAgain) + cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
}

// The cache returns the same as the store.
func TestAnEndIsKeptAsItIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for script, status := range map[string]app.Status{
		"print hello\nwarn key " + enginetest.SecretValue + "\nresult {\"b\":1,\"a\":[2]}": app.StatusCompleted,
		"print hello":             app.StatusCompleted,
		"fail ValueError\nexit 1": app.StatusError,
		"signal 11":               app.StatusError,
	} {
		x := w.Until(w.Send(script), status)
		k, ok := w.Reader.Cached(x.ID)
		if !ok {
			t.Errorf("%q was not kept", script)
			continue
		}
		w.Reader.PurgeCache()
		read, err := w.Reader.ByID(t.Context(), x.ID)
		w.Must(err)
		out, network, err := w.Reader.ReadEnded(t.Context(), read)
		w.Must(err)
		again, _ := w.Reader.Cached(x.ID)
		if diff := cmp.Diff(read, k.X) + cmp.Diff(out, k.Out) +
			cmp.Diff(network, k.Network, cmpopts.EquateEmpty()); diff != "" || again.Row != k.Row {
			t.Errorf("%q: row %d, want %d; %s", script, k.Row, again.Row, diff)
		}
	}
}

// TestThatNothingWasLeftIsReadOnce plants an artifact where none can come.
func TestThatNothingWasLeftIsReadOnce(t *testing.T) {
	t.Parallel()
	w := &world{enginetest.New(t)}
	x, _ := w.Finished("result 1", app.StatusCompleted)
	left := func() int {
		again, _, err := w.askedAgain(x)
		w.Must(err)
		list, err := w.Reader.Artifacts(t.Context(), again)
		w.Must(err)
		return len(list)
	}
	if n := left(); n != 0 {
		t.Fatalf("%d artifacts", n)
	}
	db, err := sql.Open("sqlite", filepath.Join(w.Dir, store.FileName)+"?_pragma=busy_timeout(10000)")
	w.Must(err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `INSERT INTO artifacts (execution_id, ordinal, profile_handle, name, size, sha256,
		media_type, withheld, withheld_key, masked, expires_at)
		SELECT id, 1, profile_handle, 'a', 1, '', '', '', '', 0, 1 FROM executions WHERE handle = ?`, x.Handle)
	w.Must(err)
	if n := left(); n != 0 {
		t.Errorf("the store was asked again: %d artifacts", n)
	}
	w.Reader.PurgeCache()
	for range 2 {
		if n := left(); n != 1 {
			t.Errorf("read anew: %d artifacts, want 1", n)
		}
	}
}

func TestRunningIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Until(w.Send("ask one"), app.StatusAwaitingLLM)
	if _, err := w.Reader.ByID(t.Context(), x.ID); err != nil || w.Reader.CachedCount() != 0 {
		t.Errorf("%v, %d are kept", err, w.Reader.CachedCount())
	}
}

func TestLargeOutputIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _ := w.Finished("result \""+strings.Repeat("x", executions.MaxCachedBytes)+"\"", app.StatusCompleted)
	if _, _, err := w.askedAgain(x); err != nil || w.Reader.CachedCount() != 0 {
		t.Errorf("%v, %d are kept", err, w.Reader.CachedCount())
	}
}

// TestLongLedgerIsNotKept: long ledgers, cheap for an agent, must not fill the memory.
func TestLongLedgerIsNotKept(t *testing.T) {
	t.Parallel()
	row := app.Connection{Host: "a.example", Rule: "a.example", Method: "GET", Path: strings.Repeat("/", 1000)}
	for n, want := range map[int]bool{0: true, 5: true, 20: false, app.MaxConnections: false} {
		if bytes := executions.BytesWith(
			slices.Repeat([]app.Connection{row}, n)); bytes <= executions.MaxCachedBytes != want {
			t.Errorf("%d rows count as %d bytes", n, bytes)
		}
	}
	w := newWorld(t)
	x, _ := w.Finished(longLedger(), app.StatusCompleted)
	if _, _, err := w.askedAgain(x); err != nil || w.Reader.CachedCount() != 0 {
		t.Errorf("%v, %d are kept", err, w.Reader.CachedCount())
	}
}

// longLedger is a script that is refused by many hosts.
func longLedger() string {
	var script strings.Builder
	for i := range 100 {
		fmt.Fprintf(&script, "dial h%d.example 443\n", i)
	}
	return script.String()
}

// The cache obeys changes to the profile and the removal of rows.
func TestKeptObeysRevocationAndRemoval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _ := w.Finished("result 1", app.StatusCompleted)
	_, _, err := w.askedAgain(x)
	w.Must(err)

	_, err = w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	_, _, err = w.askedAgain(x)
	enginetest.WantCode(t, err, app.CodeProfileRevoked)

	_, err = w.Access.Lifecycle.Restore(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	_, _, err = w.askedAgain(x)
	w.Must(err)

	later := time.Now().Add(time.Hour)
	w.Must(w.Store.Write(t.Context(), func(tx *store.Tx) error {
		n, err := tx.Pruning.RemoveAged(t.Context(), later, store.Kept{EndedSince: later, RepeatedSince: later}, 10)
		if n != 1 {
			t.Errorf("%d were removed", n)
		}
		return err
	}))
	_, _, err = w.askedAgain(x)
	enginetest.WantCode(t, err, app.CodeNotFound)
}

// TestAnEndThatIsNotStoredIsNotLogged: the log names the same end as the database.
func TestAnEndThatIsNotStoredIsNotLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // the handler writes one line at a time
	w := newWorld(t, func(c *engine.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	x := w.Send("hang")
	w.UntilStatus(x, app.StatusRunning)
	w.Must(w.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Executions.Finish(t.Context(), x.Handle, runner.StopCrashed(true).EndedElsewhere(time.Now()))
		return err
	}))
	run := w.Runner.Find(x.Handle)
	run.Stop(runner.StopCancelled(enginetest.Agent))
	<-run.Done()
	last := w.Send("result 1")
	w.Until(last, app.StatusCompleted)
	w.Must(w.Close(t.Context()))
	if text := log.String(); strings.Contains(text, "execution ended\" execution="+x.Handle) ||
		!strings.Contains(text, "execution ended\" execution="+last.Handle) {
		t.Error(text)
	}
}
