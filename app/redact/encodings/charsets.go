package encodings

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Charsets returns a text with other than ASCII in other charsets: in UTF-16; in Latin-1,
// Windows-1252 and code page 850, if they have all its characters; and its UTF-8 read as one of the
// first two. It returns nothing for ASCII, which is the same in all but UTF-16.
func Charsets(text string) []string {
	if !IsForeign(text) {
		return nil
	}
	little, big := UTF16(text)
	out := append(misread(text), little, big)
	for _, charset := range []*charmap.Charmap{charmap.ISO8859_1, charmap.Windows1252, charmap.CodePage850} {
		if form, err := charset.NewEncoder().String(text); err == nil {
			out = append(out, form)
		}
	}
	return out
}

// misread returns what becomes of a text with other than ASCII whose UTF-8 is read as Latin-1 or
// Windows-1252, as HTTP clients do where no charset is named.
func misread(text string) (out []string) {
	if !IsForeign(text) {
		return nil
	}
	for _, charset := range []*charmap.Charmap{charmap.ISO8859_1, charmap.Windows1252} {
		if form, err := charset.NewDecoder().String(text); err == nil {
			out = append(out, form)
		}
	}
	return out
}

// IsForeign reports whether a text is UTF-8 and has other characters than those of ASCII.
func IsForeign(text string) bool {
	return utf8.ValidString(text) && strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}
