package components

import (
	"strings"

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

// lastLine returns the last line of an error, which in a traceback is the error itself.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return app.Clip(strings.TrimSpace(lines[len(lines)-1]), 160)
}
