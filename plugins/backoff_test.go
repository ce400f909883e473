package plugins

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestBackoffGrowsUntilSomethingLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Backoff
		wait := func() time.Duration {
			began := time.Now()
			if err := b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		if waited := wait(); waited != 0 {
			t.Errorf("the first start waits %s", waited)
		}
		b.NoteFailure()
		first := wait()
		b.NoteEnd(time.Now())
		second := wait()
		for range 100 {
			b.NoteFailure()
		}
		if last := wait(); first > time.Second || second <= first || last != backoffMost || b.Failures != 102 {
			t.Errorf("waits %s, %s and, after %d failures, %s", first, second, b.Failures, last)
		}
		b.NoteEnd(time.Now().Add(-lasting))
		if waited := wait(); waited != 0 || b.Failures != 0 {
			t.Errorf("after what lasted it waits %s, with %d failures", waited, b.Failures)
		}
		b.NoteFailure()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if b.Wait(ctx) == nil {
			t.Error("it waits on although its context has ended")
		}
	})
}
