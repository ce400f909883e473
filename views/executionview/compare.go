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
		"Script", "Skill", "Inputs", "LLM answers", "Runner", "Python", "Packages", "Runtime", "Policy", "Limits",
	} {
		if l, r := value(left, name), value(right, name); l != "" || r != "" {
			all = append(all, comparedFact{name, l, r, true})
		}
	}
	if x.Skill != "" || y.Skill != "" {
		all = append(all, comparedFact{"Version of the skill", x.Skill, y.Skill, false})
	}
	return append(all, comparedFact{"Status", format.Status(x.Status), format.Status(y.Status), true},
		comparedFact{"Policy version", strconv.Itoa(x.Policy), strconv.Itoa(y.Policy), false},
		comparedFact{"Ran", format.Span(x.RunTime), format.Span(y.RunTime), false},
		comparedFact{"Peak memory", format.Bytes(x.PeakMemory), format.Bytes(y.PeakMemory), false},
		comparedFact{"Sandbox", sandboxWords(x), sandboxWords(y), false},
		comparedFact{"Sent", format.Exact(x.CreatedAt), format.Exact(y.CreatedAt), false})
}

// shortDigest returns a digest's distinguishing beginning. Other values stay whole.
func shortDigest(value string) string {
	if len(value) == 64 && strings.Trim(value, "0123456789abcdef") == "" {
		return value[:16]
	}
	if value == "" {
		return "–"
	}
	return value
}

func (f comparedFact) differs() bool { return f.left != f.right }

// partition splits facts into different and same.
func partition[T interface{ differs() bool }](all []T) (different, same []T) {
	for _, one := range all {
		if one.differs() {
			different = append(different, one)
		} else {
			same = append(same, one)
		}
	}
	return different, same
}

// comparedText is one text of both executions.
type comparedText struct{ id, title, before, after string }

func (t comparedText) differs() bool { return t.before != t.after }

// comparedTexts lists the texts that at least one side has.
func comparedTexts(a, b Side) (all []comparedText) {
	for _, t := range []comparedText{
		{"diff-result", "Result", a.Result, b.Result}, {"diff-stdout", "Output", a.Stdout, b.Stdout},
		{"diff-stderr", "Errors (stderr)", a.Stderr, b.Stderr}, {"diff-llm", "LLM answers", a.Answers, b.Answers},
		{"diff-artifacts", "Artifacts", a.Artifacts, b.Artifacts},
		{"diff-inputs", "Inputs", a.Inputs, b.Inputs}, {"diff-files", "Files", a.Files, b.Files},
		{"diff-script", "Script", a.Script, b.Script},
	} {
		if t.before != "" || t.after != "" {
			all = append(all, t)
		}
	}
	return all
}

// identityWord names a manifest part as the table does.
func identityWord(name string) string {
	switch name {
	case "llm":
		return "LLM answers"
	case "python":
		return "Python"
	}
	return name
}

// Side is one of two compared executions.
type Side struct {
	Execution app.Execution
	Script    string
	Stdout    string
	Stderr    string
	Result    string
	Inputs    string
	Answers   string // of the LLM, one after the other
	Files     string // that it was given, one a line
	Artifacts string // that it left, one a line
}

// ComparePage shows two executions side by side. Other is nil until chosen.
type ComparePage struct {
	layout.Shell
	This    Side
	Other   *Side
	Choices []components.Choice
	Policy  []string // grants that the newer has more or less than the older
	Problem string   // why the chosen one can't be compared
}

// sides returns the older execution first. Other must be set.
func (p ComparePage) sides() (older, newer Side) {
	if p.This.Execution.CreatedAt.Before(p.Other.Execution.CreatedAt) {
		return p.This, *p.Other
	}
	return *p.Other, p.This
}

// chosen returns the other execution's handle, or "".
func (p ComparePage) chosen() string {
	if p.Other == nil {
		return ""
	}
	return p.Other.Execution.Handle
}

// sameResult reports whether two executions share outcome and result.
func sameResult(a, b Side) bool {
	return a.Execution.Manifest.ResultHash == b.Execution.Manifest.ResultHash && a.Execution.Status == b.Execution.Status
}
