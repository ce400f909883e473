package executionview

import (
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// Repeat compares a re-run with its original.
type Repeat struct {
	Original app.Execution
	Gone     bool     // the original is deleted; the rest is empty
	Before   string   // its result
	Same     *bool    // nil until both have ended
	Differs  []string // as Manifest.Differs names them
	Policy   []string // what the policy grants more or less
}

// compareResults compares two ended executions' results in a sentence.
func compareResults(before, after app.Execution) string {
	first, second := before.Manifest.ResultHash, after.Manifest.ResultHash
	alike := before.Status == after.Status
	switch {
	case first == "" && second == "" && alike:
		return "Both ended alike, without a result."
	case first == "" && second == "":
		return "Neither run has a result."
	case first == "":
		return "The first run had no result."
	case second == "":
		return "The second run has no result; the first one had."
	case first == second && alike:
		return "The result is the same."
	case first == second:
		return "The result is the same, but the runs ended differently."
	}
	return "The result differs."
}

// differencesIn names two runs' differences; policies by grant.
func differencesIn(names, policy []string) string {
	if len(names) == 0 {
		return "Same script, inputs and policy. " +
			"If the results differ, the cause is source data, randomness or time."
	}
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = identityWord(name)
		if name == "policy" && len(policy) > 0 {
			words[i] += " (" + strings.Join(policy, ", ") + ")"
		}
	}
	return "Changed since then: " + strings.Join(words, ", ") + "."
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

// rerunInputs returns the field's text, as typed after a refusal.
func rerunInputs(p ExecutionPage) string {
	if p.TypedInputs != "" {
		return p.TypedInputs
	}
	return RerunInputs(p)
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

func rerunFilesHint(p ExecutionPage) string {
	if len(p.Files.Inputs) == 0 {
		return "The script reads them with files.open(name)."
	}
	names := make([]string, len(p.Files.Inputs))
	for i, f := range p.Files.Inputs {
		names[i] = f.Name
	}
	return "The script gets the same files again: " + app.Clip(strings.Join(names, ", "), 200) +
		". A file that you choose replaces one of the same name."
}

// endedAs names an execution's outcome for a comparison.
func endedAs(x app.Execution) string { return format.LowerFirst(format.Status(x.Status)) }
