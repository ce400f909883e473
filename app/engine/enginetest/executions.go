package enginetest

import (
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/runner"
)

// Send submits a script under the World's profile.
func (w *World) Send(script string) app.Execution {
	w.T.Helper()
	return w.SendUnder(w.Profile, script)
}

// SendUnder submits a script under any profile.
func (w *World) SendUnder(p app.Profile, script string) app.Execution {
	w.T.Helper()
	x, replayed, err := w.Submitter.Submit(w.T.Context(),
		executions.Submission{ProfileID: p.ID, Script: script, By: Agent})
	w.Must(err)
	if replayed || x.Status == "" || x.ID == "" {
		w.T.Fatalf("submitted: %+v, replayed %v", x, replayed)
	}
	return x
}

// Until waits for an end or a question, and for its status.
func (w *World) Until(x app.Execution, status app.Status) app.Execution {
	w.T.Helper()
	x, err := w.Reader.Await(w.T.Context(), x, 20*time.Second)
	w.Must(err)
	if x.Status != status {
		w.T.Fatalf("status %s, want %s: %s", x.Status, status, x.Error)
	}
	return x
}

// Finished submits a script and waits for its end.
func (w *World) Finished(script string, status app.Status) (app.Execution, app.Output) {
	w.T.Helper()
	x := w.Until(w.Send(script), status)
	out, err := w.Reader.Output(w.T.Context(), x.Handle)
	w.Must(err)
	return x, out
}

// UntilStatus waits until the execution has the status, whatever it is.
func (w *World) UntilStatus(x app.Execution, status app.Status) app.Execution {
	w.T.Helper()
	news := w.Hub.Subscribe(live.Execution(x.Handle))
	defer news.Close()
	limit := time.After(20 * time.Second)
	for {
		x, err := w.Reader.ByHandle(w.T.Context(), x.Handle)
		w.Must(err)
		if x.Status == status {
			return x
		}
		select {
		case <-news.C():
		case <-limit:
			w.T.Fatalf("status %s, want %s: %s", x.Status, status, x.Error)
		}
	}
}

// UntilTerminal answers whatever is asked until the end.
func (w *World) UntilTerminal(x app.Execution) app.Execution {
	w.T.Helper()
	// An end takes a moment to be stored.
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		now, err := w.Reader.Await(w.T.Context(), x, 20*time.Second)
		w.Must(err)
		if now.Status.Terminal() {
			return now
		}
		if now.Status != app.StatusAwaitingLLM {
			continue
		}
		_, err = w.Controller.Respond(w.T.Context(), x.ID, runner.Answer{Text: "yes", By: Agent})
		if err != nil && app.CodeOf(err) != app.CodeNotWaiting {
			w.T.Fatal(err)
		}
	}
	w.T.Fatal("it never ends")
	return app.Execution{}
}

// UntilPrinted waits until a running execution shows the text, or has ended.
func (w *World) UntilPrinted(x app.Execution, text string) {
	w.T.Helper()
	news := w.Hub.Subscribe()
	defer news.Close()
	limit := time.After(20 * time.Second)
	for {
		if out, ok := w.Reader.LiveOutput(x.Handle); ok && strings.Contains(out.Stdout, text) {
			return
		}
		if w.StoredStatus(x).Terminal() {
			return
		}
		select {
		case <-news.C():
		case <-limit:
			w.T.Fatalf("%q was never shown", text)
		}
	}
}

// StoredStatus returns an execution's status in the database.
func (w *World) StoredStatus(x app.Execution) app.Status {
	w.T.Helper()
	now, err := w.Reader.ByHandle(w.T.Context(), x.Handle)
	w.Must(err)
	return now.Status
}

// AnswerGo answers the open question.
func (w *World) AnswerGo(x app.Execution) {
	w.T.Helper()
	_, err := w.Controller.Respond(w.T.Context(), x.ID, runner.Answer{Text: "go", By: Agent})
	w.Must(err)
}

// ReplyWith waits for a question and answers it.
func (w *World) ReplyWith(x app.Execution, a runner.Answer) {
	w.T.Helper()
	w.Until(x, app.StatusAwaitingLLM)
	a.By = Agent
	_, err := w.Controller.Respond(w.T.Context(), x.ID, a)
	w.Must(err)
}
