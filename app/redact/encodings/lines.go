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

// JoinLines returns a text of several lines with each of some texts in place of its line breaks. A
// blank stands for what indents a line, too. Of long texts it returns those with line breaks only.
func JoinLines(text string, with ...string) (joined []string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if !strings.Contains(text, "\n") {
		return nil
	}
	for _, between := range with {
		switch {
		case between != "\n" && between != "\r\n" && len(text) > MaxVariant:
		case between == " ":
			joined = append(joined, onOneLine(text))
		default:
			joined = append(joined, strings.ReplaceAll(text, "\n", between))
		}
	}
	return joined
}

// onOneLine returns the lines of a text with a blank between, without what indents them.
func onOneLine(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}
