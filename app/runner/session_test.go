package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins"
)

// An accepted execution claimed as the disk filled ended as an error, although the queue waits for
// room.
func TestWhatIsClaimedAsTheDiskFillsWaits(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("runner: record the start: %w", app.E(app.CodeStorageFull, "the disk is full", "Make room."))
	kept := fmt.Errorf("runner: record the start: %w",
		app.E(app.CodeStorageBusy, "another program keeps it", "Try again."))
	other := errors.New("another fault")
	for _, tt := range []struct {
		name   string
		last   error // after three that found no room
		cancel bool
		want   error
		calls  int
	}{
		{"there is room again", nil, false, nil, 4},
		{"another fault", other, false, other, 4},
		{"it is cancelled meanwhile", nil, true, StopCancelled(app.System()), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				calls, begin := 0, time.Now()
				err := retryWhileFull(ctx, func() error {
					calls++
					switch {
					case tt.cancel:
						cancel(StopCancelled(app.System()))
						return full
					case calls == 2: // another process kept the database for longer than anybody waits
						return kept
					case calls < tt.calls:
						return full
					}
					return tt.last
				})
				same := errors.Is(err, tt.want) || tt.cancel && stopOf(ctx) != nil && errors.Is(err, context.Cause(ctx))
				if !same || calls != tt.calls || time.Since(begin) != time.Duration(calls-1)*fullRetry {
					t.Errorf("%v after %d tries in %s", err, calls, time.Since(begin))
				}
			})
		})
	}
}

// A box that had stopped responding was not logged. The test waits twice freezeWithin: yamux's
// timers rule a fake clock out.
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
	r.session.box = &sandbox.Box{Session: session} // gets no script, so it doesn't listen
	if r.session.freeze(r.ctx) {
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
