package components

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// runTime is how long an execution ran, or has been there.
func runTime(x app.Execution) string {
	if x.StartedAt.IsZero() {
		return ""
	}
	if x.Status.Terminal() {
		return format.Span(x.RunTime)
	}
	return ""
}

// Summary says in one line what an execution ran or returned. Of a Match, Text is the word that was
// looked for, and Before and After are what stands around it.
type Summary struct {
	Before, Text, After string
	Match               bool
	Code                bool // Text is Python or JSON
}
