package runner

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins"
)

func TestClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var expired atomic.Bool
		c := newClock(10*time.Second, func() { expired.Store(true) })
		time.Sleep(time.Minute)
		c.resume()
		time.Sleep(6 * time.Second)
		c.pause()
		time.Sleep(time.Minute)
		c.resume()
		c.resume()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if expired.Load() {
			t.Fatal("expired early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !expired.Load() {
			t.Fatal("not expired")
		}
		if used := c.stop(); used != 11*time.Second {
			t.Errorf("used %v", used)
		}
		c.resume()
		if used := c.stop(); used != 11*time.Second {
			t.Errorf("used %v after the stop", used)
		}
	})
}

// TestABoxThatDoesNotFreezeIsLogged: nothing told of a box that had stopped responding. It waits twice
// freezeWithin: yamux keeps timers for all sessions, which rules a fake clock out.
func TestABoxThatDoesNotFreezeIsLogged(t *testing.T) {
	t.Parallel()
	guestIn, stdin := io.Pipe()
	stdout, guestOut := io.Pipe()
	go func() { _, _ = guesttest.Play(t.Context(), plugins.Spec{}, guestIn, guestOut) }()
	session, err := guest.Open(t.Context(), stdin, stdout, guest.Boot{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var log bytes.Buffer
	r := newRun(New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))}),
		Claim{Execution: app.Execution{Handle: "x", Timeout: time.Hour}})
	defer r.runner.Stop()
	r.box = &sandbox.Box{Session: session} // gets no script, so it doesn't listen
	if r.suspend(r.ctx) {
		t.Fatal("it was frozen")
	}
	stop := stopOf(r.ctx)
	if stop == nil || !strings.Contains(stop.Message, "the sandbox stopped responding") {
		t.Errorf("stopped by %v", stop)
	}
	for _, want := range []string{"could not freeze a waiting sandbox", "execution=x", "runner: thaw"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log %q doesn't say %q", log.String(), want)
		}
	}
}
