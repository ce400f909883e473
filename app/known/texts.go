package known

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/language"
)

// Lines returns lines of at least least characters, which are secrets of their own. A literal \n
// ends a line too, as in keys inside JSON.
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

// JoinLines joins a text's lines: without separator, and with a blank for breaks and indentation.
func JoinLines(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if !strings.Contains(text, "\n") {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return []string{strings.ReplaceAll(text, "\n", ""), strings.Join(lines, " ")}
}

// Reverse returns a text with its characters in reverse order.
func Reverse(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// isForeign reports whether a text is UTF-8 with characters beyond ASCII.
func isForeign(text string) bool {
	return utf8.ValidString(text) && strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// capitals returns a text in capitals, also with ß and the like as two letters.
func capitals(text string) []string {
	return []string{strings.ToUpper(text), cases.Upper(language.Und).String(text)}
}

// charsets returns a non-ASCII text in UTF-16 and in Latin-1.
func charsets(text string) []string {
	if !isForeign(text) {
		return nil
	}
	var little, big []byte
	for _, u := range utf16.Encode([]rune(text)) {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	out := []string{string(little), string(big)}
	if latin, err := charmap.ISO8859_1.NewEncoder().String(text); err == nil {
		out = append(out, latin)
	}
	return out
}
