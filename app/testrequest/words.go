package testrequest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence adds a full stop, and a capital letter unless a host name comes first.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if first, _, _ := strings.Cut(text, " "); !strings.Contains(first, ".") {
		letter, size := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(letter)) + text[size:]
	}
	return strings.TrimRight(text, ".") + "."
}
