package encodings

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Lines returns the lines of a value that have at least so many characters, which makes them
// secrets of their own. The characters \n end a line too: a key inside a JSON document has its line
// breaks written so.
func Lines(text string, least int) []string {
	if !strings.ContainsAny(text, "\r\n\\") {
		return nil
	}
	var out []string
	for part := range strings.SplitSeq(strings.NewReplacer(`\r`, "\n", `\n`, "\n", "\r", "\n").Replace(text), "\n") {
		line := strings.TrimSpace(part)
		armour := strings.HasPrefix(line, "-----") && strings.HasSuffix(line, "-----")
		if utf8.RuneCountInString(line) >= least && !armour && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}
