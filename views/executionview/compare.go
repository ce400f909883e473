package executionview

import (
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// comparedFact is one line of the comparison.
type comparedFact struct {
	name        string
	left, right string
	identity    bool // it defines a run, so a difference matters
}

func comparedFacts(a, b Side) []comparedFact {
	x, y := a.Execution, b.Execution
	all := []comparedFact{{"Result", x.Manifest.ResultHash, y.Manifest.ResultHash, true}}
	left, right := manifestFacts(x.Manifest), manifestFacts(y.Manifest)
	value := func(list []fact, name string) string {
		for _, f := range list {
			if f.name == name {
				return f.value
			}
		}
		return ""
	}
	for _, name := range []string{
		"Script", "Inputs", "LLM answers", "Runner", "Python", "Packages", "Runtime", "Policy", "Limits",
	} {
		if l, r := value(left, name), value(right, name); l != "" || r != "" {
			all = append(all, comparedFact{name, l, r, true})
		}
	}
	return append(all,
		comparedFact{"Policy version", strconv.Itoa(x.Policy), strconv.Itoa(y.Policy), false},
		comparedFact{"Ran", format.Span(x.RunTime), format.Span(y.RunTime), false},
		comparedFact{"Peak memory", format.Bytes(x.PeakMemory), format.Bytes(y.PeakMemory), false},
		comparedFact{"Sandbox", sandboxWords(x), sandboxWords(y), false},
		comparedFact{"Sent", format.Exact(x.CreatedAt), format.Exact(y.CreatedAt), false})
}

// shortDigest returns the beginning of a digest, which tells two apart. Other values stay whole.
func shortDigest(value string) string {
	if len(value) == 64 && strings.Trim(value, "0123456789abcdef") == "" {
		return value[:16]
	}
	if value == "" {
		return "–"
	}
	return value
}

// differences names the parts of a run's identity that differ.
func differences(a, b Side) string {
	names := b.Execution.Manifest.Differs(a.Execution.Manifest)
	if len(names) == 0 {
		return "Same script, inputs and policy. " +
			"If the results differ, the cause is source data, randomness or time."
	}
	for i, name := range names {
		names[i] = identityWord(name)
	}
	return "These differ: " + strings.Join(names, ", ") + "."
}

// identityWord names a part of the manifest as the table below does.
func identityWord(name string) string {
	switch name {
	case "llm":
		return "LLM answers"
	case "python":
		return "Python"
	}
	return name
}

// Side is one of two executions that are compared.
type Side struct {
	Execution app.Execution
	Script    string
	Stdout    string
	Stderr    string
	Result    string
	Inputs    string
	Answers   string // of the LLM, one after the other
}

// ComparePage shows two executions side by side. Other is nil until one is chosen.
type ComparePage struct {
	layout.Shell
	This    Side
	Other   *Side // the older one stands left
	Choices []components.Choice
	Problem string // why the chosen one can't be compared
}

// chosen returns the handle of the other execution; "" if there is none yet.
func (p ComparePage) chosen() string {
	if p.Other == nil {
		return ""
	}
	return p.Other.Execution.Handle
}
