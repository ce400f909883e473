package derived

import (
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// LettersOnly leaves only letters and digits.
var LettersOnly = filter{
	class: charset.ClassOf(func(c byte) uint8 {
		switch {
		case c >= 0xc2 && c <= 0xf4: // no other byte begins a character that isn't ASCII
			return ask
		case c != '_' && charset.IsWord(c):
			return keep
		}
		return drop
	}),
	alone: oddity,
	ask: func(text []byte) (int, bool) {
		if text[0] < 0xe0 { // a character of two bytes: next has seen the second one
			r := rune(text[0]&31)<<6 | rune(text[1]&63)
			return 2, twoByteLetters[r>>6]>>(r&63)&1 != 0
		}
		r, size := utf8.DecodeRune(text)
		return size, unicode.IsLetter(r) || unicode.IsDigit(r)
	},
}

// twoByteLetters has a bit for each character of two bytes that is a letter or digit.
var twoByteLetters = func() (t [32]uint64) {
	for r := rune(utf8.RuneSelf); r < 0x800; r++ {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			t[r>>6] |= 1 << (r & 63)
		}
	}
	return t
}()

// OnlyLetters is letters for a value.
func OnlyLetters(text string) string {
	if b := LettersOnly.Apply([]byte(text)); b != nil {
		return string(b.Text)
	}
	return text
}
