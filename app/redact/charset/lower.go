package charset

import (
	"unicode"
	"unicode/utf8"
)

// LowerForeign writes small letters for the capitals of a text that are not of ASCII, in place. Those
// that are shorter or longer in small letters stay.
func LowerForeign(text []byte) {
	for at, n := nextForeign(text, 0); n > 0; at, n = nextForeign(text, at+n) {
		utf8.EncodeRune(text[at:], unicode.ToLower(runeAt(text, at)))
	}
}

// HasForeignCapital reports whether LowerForeign changes a text.
func HasForeignCapital(text []byte) bool {
	_, n := nextForeign(text, 0)
	return n > 0
}

// nextForeign returns where the next capital stands that LowerForeign changes, and its length; 0 if
// there is none.
func nextForeign(text []byte, at int) (int, int) {
	for at < len(text) {
		if text[at] < utf8.RuneSelf {
			at++
			continue
		}
		r, n := utf8.DecodeRune(text[at:])
		if small := unicode.ToLower(r); small != r && utf8.RuneLen(small) == n {
			return at, n
		}
		at += n
	}
	return at, 0
}

func runeAt(text []byte, at int) rune {
	r, _ := utf8.DecodeRune(text[at:])
	return r
}
