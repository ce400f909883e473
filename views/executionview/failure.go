package executionview

import (
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// Obstacle stopped a connection. At most one of Host and Credential names a remedy.
type Obstacle struct {
	Sentence   string           // what happened, in Airlock's words
	Host       *app.HostRequest // that a person may allow, or has allowed since
	Credential string           // that a person should check
}

// failure is an execution's error by its parts.
type failure struct {
	headline  string // the exception, or Airlock's own sentence
	details   string // what else the message says; "" if that is all
	traceback string // of the script's own lines; "" if there is none
}

// failureOf parses an error. Details omit sentences of the obstacles.
func failureOf(text string, obstacles []Obstacle) failure {
	text = format.Plain(text)
	f := failure{headline: app.ErrorLine(text)}
	summary, traceback := app.SplitTraceback(text)
	first, rest, _ := strings.Cut(summary, "\n")
	f.traceback = strings.TrimSuffix(traceback, first)
	var kept []string
	for line := range strings.Lines(rest) {
		said := slices.ContainsFunc(obstacles, func(o Obstacle) bool { return strings.HasPrefix(line, o.Sentence) })
		if !said {
			kept = append(kept, strings.TrimRight(line, "\n"))
		}
	}
	f.details = strings.TrimSpace(strings.Join(kept, "\n"))
	return f
}

// isSolved reports whether a person has removed every removable obstacle.
func isSolved(all []Obstacle) (solved bool) {
	for _, o := range all {
		if o.Host != nil && !o.Host.Allowed {
			return false
		}
		solved = solved || o.Host != nil
	}
	return solved
}
