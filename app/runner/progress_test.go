package runner

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// Polls waited for the one before them beyond their own time.
func TestAPollWaitsNoLongerThanItMay(t *testing.T) {
	t.Parallel()
	runner := New(Config{Workers: 1, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	defer runner.Stop()
	r := newRun(runner, Claim{Execution: app.Execution{Handle: "x"}})
	r.script.started.set(time.Now())
	if err := runner.lanes.small.Take(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	patient, giveUp := context.WithCancel(t.Context())
	poll := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := r.OutputSoFar(ctx)
			done <- err
		}()
		return done
	}
	first := poll(patient)
	time.Sleep(50 * time.Millisecond) // until it waits for its turn
	hurried, cancel := context.WithCancel(t.Context())
	second := poll(hurried)
	cancel()
	select {
	case err := <-second:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the second poll: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the second poll waits for the first")
	}
	giveUp()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first poll: %v", err)
	}
}
