package executionview

import (
	"fmt"
	"strings"
)

// ScriptLine is one numbered line of a script.
type ScriptLine struct {
	Parts   []codePart
	Failing bool
}

func scriptLines(script string, failing int) []ScriptLine {
	parts := highlight(strings.TrimSuffix(strings.ReplaceAll(script, "\r\n", "\n"), "\n"))
	lines := make([]ScriptLine, len(parts))
	for i := range parts {
		lines[i] = ScriptLine{Parts: parts[i], Failing: i+1 == failing}
	}
	return lines
}

// lineCount is how many lines a script has on the page.
func lineCount(script string) int {
	return 1 + strings.Count(strings.TrimSuffix(strings.ReplaceAll(script, "\r\n", "\n"), "\n"), "\n")
}

// showBidi writes out the characters that change the direction of text. A script would read in
// another order than it runs.
func showBidi(script string) string {
	turns := func(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }
	if !strings.ContainsFunc(script, turns) {
		return script
	}
	var b strings.Builder
	for _, r := range script {
		if turns(r) {
			fmt.Fprintf(&b, "⟨%U⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
