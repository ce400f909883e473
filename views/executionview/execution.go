package executionview

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// ExecutionPage is everything about one execution.
type ExecutionPage struct {
	layout.Shell
	Execution  app.Execution
	ProfileURL string // "" if the profile is gone
	Script     string
	Inputs     json.RawMessage // redacted; nil if none
	Output     app.Output
	Exchanges  []app.LLMExchange
	Network    []app.Connection
	Files      Files
	Redactions map[string]redact.Hits // by channel
	Hosts      []app.HostRequest      // of the profile now; nil if deleted
	Obstacles  []Obstacle
	Warnings   []string      // limits reached without ending it
	LLMWait    time.Duration // that a question waits for its answer
	Answer     string        // as typed, after a refused answer
	Problems   components.Problems
	Repeat     *Repeat     // of a re-run
	Changes    []string    // of a re-run's policy
	Events     []app.Event // of the audit log, about this execution
	Chain      audit.State // of the whole audit log

	TypedInputs  string // for a re-run, after they were refused
	TypedTimeout string
}

func sandboxWords(x app.Execution) string {
	if x.Backend == "" {
		return "not started"
	}
	words := x.Backend + ", " + x.Isolation
	if x.Warm {
		words += ", warm"
	}
	return words
}

// follow refreshes an execution's page until it ends.
func follow(x app.Execution) templ.Attributes {
	if x.Status.Terminal() {
		return nil
	}
	return components.Refresh(paths.ExecutionURL(x.Handle), "execution/"+x.Handle)
}

// channelWord names a channel of a box.
func channelWord(channel string) string {
	return cmp.Or(map[string]string{
		"script": "Script", "result": "Result", "stdout": "Output", "stderr": "Errors (stderr)",
		"error": "Error message", "prompt": "LLM question", "answer": "LLM answer", "network": "Network",
		"artifacts": "Artifacts",
	}[channel], channel)
}
