package code

import (
	"fmt"
	"strings"
)

// Python returns the lines of Python, coloured.
func Python(source string) [][]Part { return Highlight(trim(source)) }

// Plain returns the lines of any other text.
func Plain(text string) (lines [][]Part) {
	for line := range strings.SplitSeq(trim(text), "\n") {
		lines = append(lines, []Part{{text: line}})
	}
	return lines
}

func trim(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// ShowBidi makes direction-changing characters visible. They make a script read in another order
// than it runs.
func ShowBidi(script string) string {
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
