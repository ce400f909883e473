package views

import (
	"strconv"
	"strings"
)

// comparedFact is one line of the comparison; identity says that it defines a run, so that a difference matters.
type comparedFact struct {
	name        string
	left, right string
	identity    bool
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
	for _, name := range []string{"Script", "Inputs", "LLM answers", "Runner", "Python", "Packages", "Runtime", "Policy", "Limits"} {
		if l, r := value(left, name), value(right, name); l != "" || r != "" {
			all = append(all, comparedFact{name, l, r, true})
		}
	}
	return append(all,
		comparedFact{"Policy version", strconv.Itoa(x.Policy), strconv.Itoa(y.Policy), false},
		comparedFact{"Ran", Span(x.RunTime), Span(y.RunTime), false},
		comparedFact{"Peak memory", Bytes(x.PeakMemory), Bytes(y.PeakMemory), false},
		comparedFact{"Sandbox", boxWords(x), boxWords(y), false},
		comparedFact{"Sent", Exact(x.CreatedAt), Exact(y.CreatedAt), false})
}

// short is the beginning of a digest, which tells two apart; other values stay whole.
func short(value string) string {
	if len(value) == 64 && strings.Trim(value, "0123456789abcdef") == "" {
		return value[:16]
	}
	if value == "" {
		return "–"
	}
	return value
}

// differences says in a sentence what of a run's identity differs.
func differences(a, b Side) string {
	names := b.Execution.Manifest.Differs(a.Execution.Manifest)
	if len(names) == 0 {
		return "Nothing of what defines a run differs: a difference in the result comes from the source data, or from the script's own chance and clock."
	}
	for i, name := range names {
		names[i] = identityWord(name)
	}
	return "Of what defines a run, this differs: " + strings.Join(names, ", ") + "."
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
