package plugins

import (
	"context"
	"time"
)

// Meter is a Sandbox that can say what a box has used while it is still open. A host asks it once a
// box's guest has said how its script ended, and that nothing of it is alive: then the end can be
// told before the box is gone. A backend that is no Meter is complete, its ends are told a moment
// later.
type Meter interface {
	// Usage returns what all that ever ran in an open box has used, by the kernel's counters. It
	// doesn't change the box and may be called at any time, also while the box is coming to its end.
	// An error means that only its Exit tells: it isn't open any more, or it can't be measured here
	// before its end. A counter that could not be read is an error: it must not pass for a limit that
	// nothing ran into.
	Usage(ctx context.Context, id string) (Usage, error)
}

// What stands between a host and a backend passes the question on: else every end would be told
// late, and nobody would notice.
var (
	_ Meter = (*Client)(nil)
	_ Meter = (*Link)(nil)
)

// Usage is what a box has used so far.
type Usage struct {
	PeakMemory int64 // bytes; 0 if it could not be measured
	CPUTime    time.Duration
	LimitHit   bool // a limit has refused or ended something in the box, so only its Exit says how it ended
}
