package executionview

import (
	"strings"

	"github.com/computclaw/airlock/app"
)

// Repeat compares a re-run with its original. It has the fields of executions.Comparison.
type Repeat struct {
	Original   app.Execution
	Gone       bool     // the original is deleted; the rest is empty
	SameResult *bool    // nil until both have ended
	Differs    []string // as Manifest.Differs names them
}

// maxEdited bounds the inputs that a field takes.
const maxEdited = 64 << 10

// RerunInputs returns the inputs for a re-run's field, unless they can't be sent again as shown.
func RerunInputs(p ExecutionPage) string {
	text := Indent(p.Inputs)
	masked := strings.Contains(text, "[REDACTED") || strings.Contains(text, "[SEALED:") ||
		string(app.Visible([]byte(text))) != text
	if p.Inputs == nil || masked || len(text) > maxEdited {
		return ""
	}
	return text
}

func rerunInputsHint(p ExecutionPage) string {
	switch {
	case p.Inputs == nil:
		return "JSON. Leave it empty to run without inputs, as before."
	case RerunInputs(p) == "":
		return "JSON. The inputs are masked or too long to edit here. Leave it empty to use the same ones."
	}
	return "JSON. Leave it as it is to use the same inputs, byte for byte."
}
