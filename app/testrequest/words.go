package testrequest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence ends with a full stop, and begins with a capital letter unless its first word is a host
// name.
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
