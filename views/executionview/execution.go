package executionview

import (
	"encoding/json"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// ExecutionPage tells one run as a story: what was sent, what came out, what was asked, where it went.
type ExecutionPage struct {
	layout.Shell
	Execution  app.Execution
	ProfileURL string // "" if the profile is gone
	Script     string
	Stdout     string
	Stderr     string
	Result     json.RawMessage // nil if none
	Turns      []int           // how stdout and stderr took turns
	Live       bool            // the output is what came so far
	Exchanges  []app.LLMExchange
	Network    []app.Connection
	Redactions []Redaction
	Hosts      []app.HostRequest // of the profile now; nil if it is gone
	ListRules  []string          // the rules of refusals that end when a person allows the host
	Answer     string            // kept after a refused answer
	Problems   components.Problems
	Repeat     *Repeat // of a re-run
}

// outcomeSentence is the sentence on top of an execution.
func outcomeSentence(x app.Execution) string {
	switch x.Status {
	case app.StatusPending:
		return "Waits for a free slot."
	case app.StatusRunning:
		return "The script is running."
	case app.StatusAwaitingLLM:
		return "The script asked a question and waits for the answer."
	case app.StatusCompleted:
		return "The script ran to its end."
	case app.StatusTimeout:
		return "The script was stopped when its time was over."
	case app.StatusCancelled:
		return "The script was stopped on request."
	}
	return "The script did not complete."
}

func boxWords(x app.Execution) string {
	if x.Backend == "" {
		return "not started"
	}
	words := x.Backend + ", " + x.Isolation
	if x.Warm {
		words += ", warm"
	}
	return words
}

// follow makes an execution's page keep up while it is not terminal.
func follow(x app.Execution) templ.Attributes {
	if x.Status.Terminal() {
		return nil
	}
	return templ.Attributes{"hx-get": paths.ExecutionURL(x.Handle), "hx-trigger": "execution/" + x.Handle + " from:body, connected from:body", "hx-swap": "innerMorph", "hx-target": "this"}
}
