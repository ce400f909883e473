package plugins

import (
	"context"
	"time"
)

// Backoff spaces the starts of something that keeps failing. The zero value is ready.
type Backoff struct {
	Failures int // in a row
	retry    time.Time
}

const (
	backoffFirst = 100 * time.Millisecond
	backoffMost  = 30 * time.Second
	// lasting is the least lifetime after which an end needs no pause.
	lasting = 10 * time.Second
)

// NoteFailure counts a start that failed.
func (b *Backoff) NoteFailure() {
	b.retry = time.Now().Add(min(backoffFirst<<min(b.Failures, 16), backoffMost))
	b.Failures++
}

// NoteEnd counts the end of what was started then: a failure if it didn't last.
func (b *Backoff) NoteEnd(started time.Time) {
	if time.Since(started) < lasting {
		b.NoteFailure()
		return
	}
	b.Failures = 0
}

// Wait waits until the next start is due, or until ctx ends.
func (b *Backoff) Wait(ctx context.Context) error {
	wait := time.NewTimer(time.Until(b.retry))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
