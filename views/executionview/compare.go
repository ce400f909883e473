package executionview

import (
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// ComparePage shows two executions side by side. Other is nil until chosen.
type ComparePage struct {
	layout.Shell
	This    Side
	Other   *Side
	Choices []components.Choice
	Policy  []string // grants that the newer has more or less than the older
	Problem string   // why the chosen one can't be compared
}

// Side is one of two compared executions.
type Side struct {
	Execution app.Execution
	Texts     []Text // of both sides in the same order
}

// Text is one text of an execution, "" if it has none.
type Text struct{ ID, Title, Text string }

// sides returns the older execution first. Other must be set.
func (p ComparePage) sides() (older, newer Side) {
	if p.This.Execution.CreatedAt.Before(p.Other.Execution.CreatedAt) {
		return p.This, *p.Other
	}
	return *p.Other, p.This
}

// chosenHandle returns the other execution's handle, or "".
func (p ComparePage) chosenHandle() string {
	if p.Other == nil {
		return ""
	}
	return p.Other.Execution.Handle
}

// comparedFacts lists what defines a run, with the skill by its name, and the status.
func comparedFacts(x app.Execution) []fact {
	facts := append(manifestFacts(x.Manifest), fact{"Status", format.Status(x.Status)})
	return append([]fact{{"Skill version", x.Skill}}, facts...)
}

// equalTexts returns the texts that are the same on both sides.
func equalTexts(a, b Side) (same []Text) {
	for i, t := range a.Texts {
		if t.Text != "" && t == b.Texts[i] {
			same = append(same, t)
		}
	}
	return same
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

// sameResult reports whether two executions share outcome and result.
func sameResult(a, b app.Execution) bool {
	return a.Manifest.ResultHash == b.Manifest.ResultHash && a.Status == b.Status
}

// compareResults compares two ended executions' results in a sentence.
func compareResults(a, b app.Execution) string {
	switch {
	case sameResult(a, b) && a.Manifest.ResultHash == "":
		return "Both ended alike, without a result."
	case sameResult(a, b):
		return "The result is the same."
	case a.Manifest.ResultHash == b.Manifest.ResultHash:
		return "The runs ended differently, but the result is the same."
	}
	return "The result differs."
}

// differencesIn names two runs' differences; policies by grant.
func differencesIn(names, policy []string) string {
	if len(names) == 0 {
		return "Same script, inputs and policy. " +
			"If the results differ, the cause is source data, randomness or time."
	}
	text := "Changed since then: " + strings.Join(names, ", ")
	if len(policy) > 0 {
		text = strings.Replace(text, "policy", "policy ("+strings.Join(policy, ", ")+")", 1)
	}
	return text + "."
}
