// Package sleep waits for a while, or until a context ends.
package sleep

import (
	"context"
	"time"
)

// For waits for d. It returns the cause with which ctx ended, if that came first.
func For(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
