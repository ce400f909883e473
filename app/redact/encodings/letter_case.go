package encodings

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Reverse returns a text with its characters in reverse order.
func Reverse(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// ROT13 returns a text in ROT13.
func ROT13(text string) string {
	out := []byte(text)
	for i, b := range out {
		out[i] = RotateByte(b)
	}
	return string(out)
}

// RotateByte returns a letter's counterpart in ROT13, and any other byte as it is.
func RotateByte(b byte) byte {
	switch {
	case 'a' <= b && b <= 'z':
		return 'a' + (b-'a'+13)%26
	case 'A' <= b && b <= 'Z':
		return 'A' + (b-'A'+13)%26
	}
	return b
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// Capitals returns a text in capitals, and also with two of them for a letter that has no other, as ß,
// if it has such letters.
func Capitals(text string) []string {
	simple, full := strings.ToUpper(text), cases.Upper(language.Und).String(text)
	if full == simple {
		return []string{simple}
	}
	return []string{simple, full}
}

// Variants returns the forms of a value that have about as many characters as it has.
func Variants(text string) []Form {
	out := []Form{{"reversed", Reverse(text)}, {"ROT13", ROT13(text)}}
	if lower := strings.ToLower(text); lower != text { // a value that was used as a host name comes back in lower case
		out = append(out, Form{"lower case", lower})
	}
	for _, upper := range Capitals(text) {
		if upper != text {
			out = append(out, Form{"upper case", upper})
		}
	}
	if swapped := strings.Map(swapCase, text); swapped != text {
		out = append(out, Form{"swapped case", swapped})
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC} {
		if other := form.String(text); other != text {
			out = append(out, Form{"Unicode form", other})
		}
	}
	little, big := UTF16(text)
	out = append(out, Form{"UTF-16", little}, Form{"UTF-16", big})
	for _, form := range misread(text) {
		out = append(out, Form{"misread UTF-8", form})
	}
	return out
}
