package plugins

import (
	"context"
	"time"
)

// Meter is a Sandbox that can report the usage of an open box. A host asks once the guest has
// reported the script's end. Without a Meter the numbers come a moment later, in Exit.
type Meter interface {
	// Usage returns the usage of everything that ever ran in an open box, by the kernel's counters.
	// It may be called at any time. An error means that only the box's Exit has the numbers: the
	// box has ended, or a counter is readable only at the end.
	Usage(ctx context.Context, id string) (Usage, error)
}

// Without these methods on Client and Link every result would silently come late.
var (
	_ Meter = (*Client)(nil)
	_ Meter = (*Link)(nil)
)

// Usage is a box's usage so far.
type Usage struct {
	PeakMemory int64 // bytes; 0 if it could not be measured
	CPUTime    time.Duration
	LimitHit   bool // a limit has refused or ended something in the box, so only its Exit says how it ended
}
