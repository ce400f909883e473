package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app"
)

// TestWhatIsClaimedAsTheDiskFillsWaits: what had been accepted and was claimed in the moment in
// which the disk became full ended as an error, although the queue waits for room.
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
