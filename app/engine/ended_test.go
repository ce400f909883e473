package engine

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// askedAgain asks for an execution that is kept, and for what it left behind.
func (w *world) askedAgain(x app.Execution) (app.Execution, app.Output, error) {
	w.t.Helper()
	again, err := w.Execution(w.t.Context(), x.ID)
	if err != nil {
		return again, app.Output{}, err
	}
	out, _, err := w.Ended(w.t.Context(), again)
	return again, out, err
}

func TestEndedIsKept(t *testing.T) {
	w := newWorld(t)
	x, want := w.finished("result 41", app.StatusCompleted)
	first, out, err := w.askedAgain(x)
	w.must(err)
	if w.kept.Len() != 1 {
		t.Fatalf("%d are kept", w.kept.Len())
	}
	again, outAgain, err := w.askedAgain(x)
	w.must(err)
	if diff := cmp.Diff(first, again) + cmp.Diff(out, outAgain) + cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
}

// What is kept when an execution ends is what reading it gives.
func TestAnEndIsKeptAsItIsRead(t *testing.T) {
	w := newWorld(t)
	for script, status := range map[string]app.Status{
		"print hello\nwarn key " + secretValue + "\nresult {\"b\":1,\"a\":[2]}": app.StatusCompleted,
		"print hello":             app.StatusCompleted,
		"fail ValueError\nexit 1": app.StatusError,
		"signal 11":               app.StatusError,
	} {
		x := w.until(w.submit(script), status)
		k, ok := w.kept.Peek(x.ID)
		if !ok {
			t.Errorf("%q was not kept", script)
			continue
		}
		w.kept.Purge()
		read, err := w.Execution(t.Context(), x.ID)
		w.must(err)
		out, network, err := w.Ended(t.Context(), read)
		w.must(err)
		again, _ := w.kept.Peek(x.ID)
		if diff := cmp.Diff(read, k.x) + cmp.Diff(out, k.out) + cmp.Diff(network, k.network, cmpopts.EquateEmpty()); diff != "" || again.row != k.row {
			t.Errorf("%q: row %d, want %d; %s", script, k.row, again.row, diff)
		}
	}
}

func TestRunningIsNotKept(t *testing.T) {
	w := newWorld(t)
	x := w.until(w.submit("ask one"), app.StatusAwaitingLLM)
	if _, err := w.Execution(t.Context(), x.ID); err != nil || w.kept.Len() != 0 {
		t.Errorf("%v, %d are kept", err, w.kept.Len())
	}
}

func TestLargeOutputIsNotKept(t *testing.T) {
	w := newWorld(t)
	x, _ := w.finished("result \""+strings.Repeat("x", maxKeptBytes)+"\"", app.StatusCompleted)
	if _, _, err := w.askedAgain(x); err != nil || w.kept.Len() != 0 {
		t.Errorf("%v, %d are kept", err, w.kept.Len())
	}
}

// TestLongLedgerIsNotKept: 512 executions with 500 long paths each, which cost an agent little, once stayed in memory whatever they printed.
func TestLongLedgerIsNotKept(t *testing.T) {
	row := app.Connection{Host: "a.example", Rule: "a.example", Method: "GET", Path: strings.Repeat("/", 1000)}
	for n, want := range map[int]bool{0: true, 5: true, 20: false, app.MaxConnections: false} {
		if k := (kept{network: slices.Repeat([]app.Connection{row}, n)}); k.bytes() <= maxKeptBytes != want {
			t.Errorf("%d rows count as %d bytes", n, k.bytes())
		}
	}
	w := newWorld(t)
	x, _ := w.finished(longLedger(), app.StatusCompleted)
	if _, _, err := w.askedAgain(x); err != nil || w.kept.Len() != 0 {
		t.Errorf("%v, %d are kept", err, w.kept.Len())
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

// What is kept must not outlive what people do to a profile, nor the row.
func TestKeptObeysRevocationAndRemoval(t *testing.T) {
	w := newWorld(t)
	x, _ := w.finished("result 1", app.StatusCompleted)
	_, _, err := w.askedAgain(x)
	w.must(err)

	_, err = w.access.Revoke(t.Context(), person, w.profile.Handle)
	w.must(err)
	_, _, err = w.askedAgain(x)
	wantCode(t, err, app.CodeProfileRevoked)

	_, err = w.access.Restore(t.Context(), person, w.profile.Handle)
	w.must(err)
	_, _, err = w.askedAgain(x)
	w.must(err)

	later := time.Now().Add(time.Hour)
	w.must(w.store.Write(t.Context(), func(tx *store.Tx) error {
		n, err := tx.PruneAged(t.Context(), later, store.Kept{EndedSince: later, RepeatedSince: later}, 10)
		if n != 1 {
			t.Errorf("%d were removed", n)
		}
		return err
	}))
	_, _, err = w.askedAgain(x)
	wantCode(t, err, app.CodeNotFound)
}

// TestAnEndThatIsNotStoredIsNotLogged: the log said how an execution ended although another end stands in the database.
func TestAnEndThatIsNotStoredIsNotLogged(t *testing.T) {
	var log bytes.Buffer // the handler writes one line at a time
	w := newWorld(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	x := w.submit("hang")
	w.untilStatus(x, app.StatusRunning)
	w.must(w.store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Finish(t.Context(), x.Handle, w.unstarted(stopInterrupted()))
		return err
	}))
	r := w.running(x.Handle)
	r.stop(stopCancelled(agent))
	<-r.done
	last := w.submit("result 1")
	w.until(last, app.StatusCompleted)
	w.must(w.Close(t.Context()))
	if text := log.String(); strings.Contains(text, "execution ended\" execution="+x.Handle) || !strings.Contains(text, "execution ended\" execution="+last.Handle) {
		t.Error(text)
	}
}
