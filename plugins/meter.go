package plugins

import (
	"context"
	"time"
)

// Meter is a Sandbox that can report the usage of an open box. A host asks once the guest has
// reported the end of its script: then the result is known before the box is removed. Without a
// Meter it is known a moment later.
type Meter interface {
	// Usage returns the usage of everything that ever ran in an open box, by the kernel's counters.
	// It may be called at any time. An error means that only the box's Exit has the numbers: the box
	// isn't open any more, or a counter can't be read before its end.
	Usage(ctx context.Context, id string) (Usage, error)
}

// Client and Link pass the question on; otherwise every result would be late, and nobody would notice.
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
