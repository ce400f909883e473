package executionview

import (
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// fact is one line of a manifest.
type fact struct{ name, value string }

// manifestFacts lists what defines a run, always in this order. Values are "" if unknown.
func manifestFacts(m app.Manifest) []fact {
	return []fact{
		{"Script", m.Script}, {"Skill", strings.TrimPrefix(m.Skill, "sha256:")}, {"Inputs", m.Inputs},
		{"LLM answers", m.LLM}, {"Runner", m.Runner}, {"Python", m.Python},
		{"Packages", m.Packages}, {"Runtime", m.Runtime}, {"Policy", m.Policy}, {"Limits", limitWords(m.Limits)},
		{"Result", m.ResultHash},
	}
}

func limitWords(l app.Limits) string {
	if l.Memory == 0 {
		return ""
	}
	return format.Bytes(l.Memory) + " memory, " + strconv.FormatFloat(l.CPU, 'g', -1, 64) + " CPU, " +
		strconv.FormatInt(l.Pids, 10) + " processes, " + strconv.FormatInt(l.Files, 10) +
		" open files, " + format.Bytes(l.Tmp) + " temporary files, " + format.Bytes(l.Output) + " output, " +
		format.Bytes(l.Result) + " result"
}
