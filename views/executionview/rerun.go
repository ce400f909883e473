package executionview

import (
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// Repeat is how a re-run stands beside the execution it repeats.
type Repeat struct {
	Original app.Execution
	Gone     bool     // the original is not kept any more; the rest is empty
	Before   string   // its result
	Same     *bool    // nil until both have ended
	Differs  []string // as Manifest.Differs names them
	Policy   []string // what the policy grants more or less
}

// compareResults says in one sentence how the results of two executions that have ended compare.
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

// differencesIn names what differs in the identity of two runs, the policy by what it grants.
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

// RerunInputs is what the form for a re-run has in its field: the inputs, unless they can't be
// sent again as they are shown.
func RerunInputs(p ExecutionPage) string {
	text := Indent(p.Inputs)
	masked := strings.Contains(text, "[REDACTED") || strings.Contains(text, "[SEALED:") ||
		string(app.Visible([]byte(text))) != text
	if p.Inputs == nil || masked || len(text) > maxEdited {
		return ""
	}
	return text
}

// rerunInputs is the field's text: as typed, after it was refused.
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

// endedAs names how an execution ended, for a comparison.
func endedAs(x app.Execution) string { return format.LowerFirst(format.Status(x.Status)) }
