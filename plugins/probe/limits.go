package probe

import (
	_ "embed"
	"fmt"
)

// LimitScript computes for a moment, prints its share of a core, and reads a line. Then it takes
// memory until its box is killed. Without a limit it takes only as much as the line says, to spare
// the host.
//
//go:embed limits.py
var LimitScript string

const (
	// excess is how many times its limit a box takes at most.
	excess = 3
	// keep is how long it then stays, in seconds: a polling limiter may be late on a busy host.
	keep = 5
)

// LimitInput is what LimitScript reads in a box with that memory limit, in bytes.
func LimitInput(memory int64) []byte { return fmt.Appendf(nil, "%d %d\n", excess*memory, keep) }
