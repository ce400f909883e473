package executionview

import (
	"strings"

	"github.com/computclaw/airlock/views/code"
)

// ScriptLine is one numbered line of a script.
type ScriptLine struct {
	Parts   []code.Part
	Failing bool
}

func scriptLines(script string, failing int) []ScriptLine {
	parts := code.Python(script)
	lines := make([]ScriptLine, len(parts))
	for i := range parts {
		lines[i] = ScriptLine{Parts: parts[i], Failing: i+1 == failing}
	}
	return lines
}

// lineCount returns a script's line count on the page.
func lineCount(script string) int {
	return 1 + strings.Count(strings.TrimSuffix(strings.ReplaceAll(script, "\r\n", "\n"), "\n"), "\n")
}
