package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

func TestListAndStats(t *testing.T) {
	w := newWorld(t)
	var newest []string
	for i := range 7 {
		script := "result 1"
		if i%3 == 0 {
			script = "exit 1"
		}
		x := w.untilTerminal(w.submit(script))
		newest = append([]string{x.ID}, newest...)
	}
	other := w.profile
	w.profile = w.newProfile()
	w.finished("result 1", app.StatusCompleted)
	var got []string
	f := Filter{ProfileHandle: other.Handle, Limit: 3}
	for {
		list, more, err := w.List(t.Context(), f)
		w.must(err)
		for _, x := range list {
			got = append(got, x.ID)
		}
		if !more {
			break
		}
		f.Before = list[len(list)-1].Handle
	}
	if diff := cmp.Diff(newest, got); diff != "" {
		t.Error(diff)
	}
	stats, err := w.Stats(t.Context(), other.Handle)
	w.must(err)
	if stats.Total != 7 || stats.Failed != 3 || len(stats.Recent) != 7 {
		t.Errorf("%+v", stats)
	}
	profile, err := w.access.ProfileByHandle(t.Context(), other.Handle)
	w.must(err)
	if profile.Executions != 7 || profile.LastUsedAt.IsZero() {
		t.Errorf("the profile's counters: %d, %v", profile.Executions, profile.LastUsedAt)
	}
}

func TestUnknownExecutions(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"", "exec_", app.NewExecutionID(), "' OR 1=1", w.profile.ID} {
		_, err := w.Execution(t.Context(), id)
		wantCode(t, err, app.CodeNotFound)
		_, err = w.Await(t.Context(), id, time.Minute)
		wantCode(t, err, app.CodeNotFound)
		_, err = w.Respond(t.Context(), id, Answer{Text: "x", By: agent})
		wantCode(t, err, app.CodeNotFound)
		_, err = w.Cancel(t.Context(), id, agent)
		wantCode(t, err, app.CodeNotFound)
	}
	_, err := w.ByHandle(t.Context(), "none")
	wantCode(t, err, app.CodeNotFound)
	_, err = w.Script(t.Context(), "none")
	wantCode(t, err, app.CodeNotFound)
}

// People see what a running script printed, redacted, while it runs; afterwards it comes from the store.
func TestLiveOutput(t *testing.T) {
	w := newWorld(t)
	x := w.submit("print one " + secretValue + "\nask go on?\nprint two")
	w.until(x, app.StatusAwaitingLLM)
	w.untilPrinted(x, "one")
	out, ok := w.LiveOutput(x.Handle)
	if !ok || out.Stdout != "one [REDACTED...6789]\n" {
		t.Errorf("%v %+v", ok, out)
	}
	stored, err := w.Output(t.Context(), x.Handle)
	w.must(err)
	if stored.Stdout != "" {
		t.Errorf("stored before the end: %q", stored.Stdout)
	}
	w.untilTerminal(x)
	if _, ok := w.LiveOutput(x.Handle); ok {
		t.Error("still live after the end")
	}
	stored, err = w.Output(t.Context(), x.Handle)
	w.must(err)
	if !strings.HasSuffix(stored.Stdout, "two\n") {
		t.Errorf("stored %q", stored.Stdout)
	}
}

func TestAwaitReturnsInTime(t *testing.T) {
	w := newWorld(t)
	x := w.submit("hang")
	began := time.Now()
	x, err := w.Await(t.Context(), x.ID, 50*time.Millisecond)
	w.must(err)
	if took := time.Since(began); x.Status.Terminal() || took < 50*time.Millisecond || took > 5*time.Second {
		t.Errorf("%s after %v", x.Status, took)
	}
}
