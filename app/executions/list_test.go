package executions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var newest []string
	for i := range 7 {
		script := "result 1"
		if i%3 == 0 {
			script = "exit 1"
		}
		x := w.UntilTerminal(w.Send(script))
		newest = append([]string{x.ID}, newest...)
	}
	other := w.Profile
	w.Profile = w.NewProfile()
	w.Finished("result 1", app.StatusCompleted)
	var got []string
	f := executions.Filter{ProfileHandle: other.Handle, Limit: 3}
	for {
		list, more, err := w.Reader.List(t.Context(), f)
		w.Must(err)
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
	profile, err := w.Access.Profiles.ByHandle(t.Context(), other.Handle)
	w.Must(err)
	if profile.Executions != 7 || profile.LastUsedAt.IsZero() {
		t.Errorf("the profile's counters: %d, %v", profile.Executions, profile.LastUsedAt)
	}
}

func TestUnknownExecutions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"", "exec_", app.NewExecutionID(), "' OR 1=1", w.Profile.ID} {
		_, err := w.Reader.ByID(t.Context(), id)
		enginetest.WantCode(t, err, app.CodeNotFound)
		_, err = w.Reader.Await(t.Context(), app.Execution{ID: id}, time.Minute)
		enginetest.WantCode(t, err, app.CodeNotFound)
		_, err = w.Controller.Respond(t.Context(), id, runner.Answer{Text: "x", By: enginetest.Agent})
		enginetest.WantCode(t, err, app.CodeNotFound)
		_, err = w.Controller.Cancel(t.Context(), id, enginetest.Agent)
		enginetest.WantCode(t, err, app.CodeNotFound)
	}
	_, err := w.Reader.ByHandle(t.Context(), "none")
	enginetest.WantCode(t, err, app.CodeNotFound)
	_, _, err = w.Reader.ReadSubmitted(t.Context(), "none")
	enginetest.WantCode(t, err, app.CodeNotFound)
}

// People see a running script's redacted output; afterwards it comes from the store.
func TestLiveOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("print one " + enginetest.SecretValue + "\nask go on?\nprint two")
	w.Until(x, app.StatusAwaitingLLM)
	w.UntilPrinted(x, "one")
	out, ok := w.Reader.LiveOutput(x.Handle)
	if !ok || out.Stdout != "one [REDACTED...6789]\n" {
		t.Errorf("%v %+v", ok, out)
	}
	stored, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if stored.Stdout != "" {
		t.Errorf("stored before the end: %q", stored.Stdout)
	}
	w.UntilTerminal(x)
	if _, ok := w.Reader.LiveOutput(x.Handle); ok {
		t.Error("still live after the end")
	}
	stored, err = w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if !strings.HasSuffix(stored.Stdout, "two\n") {
		t.Errorf("stored %q", stored.Stdout)
	}
}

func TestAwaitReturnsInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send("hang")
	began := time.Now()
	x, err := w.Reader.Await(t.Context(), x, 50*time.Millisecond)
	w.Must(err)
	if took := time.Since(began); x.Status.Terminal() || took < 50*time.Millisecond || took > 5*time.Second {
		t.Errorf("%s after %v", x.Status, took)
	}
}
