package components

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// runTime returns a finished execution's duration.
func runTime(x app.Execution) string {
	if x.StartedAt.IsZero() || !x.Status.Terminal() {
		return ""
	}
	return format.Span(x.RunTime)
}

// Summary describes an execution in a line. For a Match, Text is the found word, between Before and
// After.
type Summary struct {
	Before, Text, After string
	Match               bool
	Code                bool // Text is Python or JSON
}
