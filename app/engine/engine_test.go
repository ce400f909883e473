package engine_test

import (
	"context"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/scheduler"
)

// A stopped server marks running executions and keeps pending ones for the next server.
func TestStopAndStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	waiting := w.Send("ask one")
	w.Until(waiting, app.StatusAwaitingLLM)
	running := w.Send("print so far\nhang")
	w.UntilStatus(running, app.StatusRunning)
	pending := w.Send("result 1")
	w.Must(w.Close(t.Context()))
	for _, x := range []app.Execution{waiting, running} {
		x := w.UntilStatus(x, app.StatusError)
		if x.Error != stoppedError {
			t.Errorf("error %q", x.Error)
		}
	}
	_, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
	w.UntilStatus(pending, app.StatusPending)
	w.StartEngine()
	w.Until(pending, app.StatusCompleted)
}

// A draining engine accepts nothing, lets running executions end, and observes its limit.
func TestDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers = 1 })
	waiting := w.Send("ask one")
	w.Until(waiting, app.StatusAwaitingLLM)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		w.Drain(t.Context())
	}()
	w.AwaitHealth("it drains", func(h engine.Health) bool { return !h.Ready && h.Reason == scheduler.StoppingReason })
	_, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
	select {
	case <-drained:
		t.Error("it did not wait for an execution that waits for its answer")
	default:
	}
	_, err = w.Controller.Respond(t.Context(), waiting.ID, runner.Answer{Text: "x", By: enginetest.Agent})
	w.Must(err)
	<-drained
	w.UntilStatus(waiting, app.StatusCompleted)
	w.Must(w.Close(t.Context()))

	w.StartEngine()
	running := w.Send("hang")
	w.UntilStatus(running, app.StatusRunning)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	w.Drain(over)
	w.Must(w.Close(t.Context()))
	if x := w.UntilStatus(running, app.StatusError); x.Error != stoppedError {
		t.Errorf("error %q", x.Error)
	}
}

func TestWorkersAndBoxes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Pool = 3, 2 })
	var list []app.Execution
	for range 20 {
		list = append(list, w.Send("print x\nresult 1"))
	}
	for _, x := range list {
		w.Until(x, app.StatusCompleted)
	}
	if opened := len(w.Fake.Opened()); opened < 20 || opened > 25 {
		t.Errorf("%d boxes for 20 executions", opened)
	}
	if _, peak := w.Fake.Open(); peak > 3+2+2 { // running, waiting, and being cleared away or opened
		t.Errorf("%d boxes at once", peak)
	}
}

const stoppedError = "interrupted: Airlock was stopped while this ran; submit it again if it is safe to run twice"
