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
