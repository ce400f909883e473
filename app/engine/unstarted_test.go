package engine

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins/fake"
)

// TestScriptThatReachedNoBoxWasNotStarted: where a box took no script and no other one opened, the execution was said to have been started, and counted as such.
func TestScriptThatReachedNoBoxWasNotStarted(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Workers, c.Pool = 1, 1 })
	w.await("a warm box", func(h Health) bool { return h.Warm == 1 })
	w.fake.SetGuest(fake.Exit(1))
	p := w.fleet[0].use.class("")
	p.mu.Lock()
	b := p.warm[0]
	p.mu.Unlock()
	printed, ended := make(chan struct{}), make(chan struct{})
	go func() { // a box that has its one script already takes no other
		defer close(ended)
		_, _ = b.session.Run(t.Context(), guest.Job{Script: "print x\nhang", MaxOutput: 1 << 10, MaxResult: 1 << 10}, guest.Handler{Stdout: func([]byte) { close(printed) }})
	}()
	<-printed
	x := w.until(w.submit("result 1"), app.StatusError)
	<-ended
	if len(w.fake.Opened()) < 2 {
		t.Error("no other box was tried")
	}
	if !x.StartedAt.IsZero() {
		t.Errorf("started at %s: %s", x.StartedAt, x.Error)
	}
	if !strings.HasPrefix(x.Error, "the script was not run: no sandbox for it got ready, or stayed so until it was sent") {
		t.Errorf("the agent is told: %s", x.Error)
	}
}
