package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
