package components

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// runTime returns an execution's duration, or age before its end.
func runTime(x app.Execution) string {
	if x.StartedAt.IsZero() {
		return ""
	}
	if x.Status.Terminal() {
		return format.Span(x.RunTime)
	}
	return ""
}

// Summary describes an execution in a line. For a Match, Text is the found word, between Before and
// After.
type Summary struct {
	Before, Text, After string
	Match               bool
	Code                bool // Text is Python or JSON
}
