package sandbox_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins/fake"
)

// TestScriptThatReachedNoBoxWasNotStarted: an execution without a box isn't counted as started.
func TestScriptThatReachedNoBoxWasNotStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Pool = 1, 1 })
	w.AwaitHealth("a warm box", func(h engine.Health) bool { return h.Warm == 1 })
	w.Fake.SetGuest(fake.Exit(1))
	b := w.Sandboxes.PeekReady()
	printed, ended := make(chan struct{}), make(chan struct{})
	go func() { // a box that has its one script already takes no other
		defer close(ended)
		_, _ = b.Session.Run(t.Context(), guest.Job{Script: "print x\nhang", MaxOutput: 1 << 10, MaxResult: 1 << 10},
			guest.Handler{Stdout: func([]byte) { close(printed) }})
	}()
	<-printed
	x := w.Until(w.Send("result 1"), app.StatusError)
	<-ended
	if len(w.Fake.Opened()) < 2 {
		t.Error("no other box was tried")
	}
	if !x.StartedAt.IsZero() {
		t.Errorf("started at %s: %s", x.StartedAt, x.Error)
	}
	if !strings.HasPrefix(x.Error, "the script was not run: no sandbox became available") {
		t.Errorf("the agent is told: %s", x.Error)
	}
}
