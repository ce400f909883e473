package encodings

import (
	"slices"
	"strings"
)

// Lines returns the lines of a value that are secrets of their own. The characters \n end a line
// too: a key inside a JSON document has its line breaks written so.
func Lines(text string) []string {
	if !strings.ContainsAny(text, "\r\n\\") {
		return nil
	}
	var out []string
	for part := range strings.SplitSeq(strings.NewReplacer(`\r`, "\n", `\n`, "\n", "\r", "\n").Replace(text), "\n") {
		line := strings.TrimSpace(part)
		armour := strings.HasPrefix(line, "-----") && strings.HasSuffix(line, "-----")
		if !IsShort(line) && !armour && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}
