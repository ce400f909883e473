package executionview

import (
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// fact is one line of a manifest.
type fact struct{ name, value string }

func manifestFacts(m app.Manifest) []fact {
	all := []fact{
		{"Script", m.Script}, {"Skill", strings.TrimPrefix(m.Skill, "sha256:")}, {"Inputs", m.Inputs},
		{"LLM answers", m.LLM}, {"Runner", m.Runner}, {"Python", m.Python},
		{"Packages", m.Packages}, {"Runtime", m.Runtime}, {"Policy", m.Policy}, {"Result", m.ResultHash},
	}
	var known []fact
	for _, f := range all {
		if f.value != "" {
			known = append(known, f)
		}
	}
	if m.Limits.Memory > 0 {
		known = append(known, fact{"Limits", limitWords(m.Limits)})
	}
	return known
}

func limitWords(l app.Limits) string {
	return format.Bytes(l.Memory) + " memory, " + strconv.FormatFloat(l.CPU, 'g', -1, 64) + " CPU, " +
		strconv.FormatInt(l.Pids, 10) + " processes, " + strconv.FormatInt(l.Files, 10) +
		" open files, " + format.Bytes(l.Tmp) + " temporary files, " + format.Bytes(l.Output) + " output, " +
		format.Bytes(l.Result) + " result"
}
