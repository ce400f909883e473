package derived

import (
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// invisible returns how many bytes at the beginning are not seen.
func invisible(text []byte) int {
	c := text[0]
	switch {
	case c == 0x1b:
		return terminal(text)
	case c <= ' ' || c == 0x7f:
		return 1
	case len(text) < 2 || !hides(c, text[1]):
		return 0
	}
	r, size := utf8.DecodeRune(text)
	if app.IsInvisible(r) || unicode.Is(unicode.White_Space, r) {
		return size
	}
	return 0
}

// goesOn says whether a text begins with a byte that goes on with a character. It saves decoding
// what is no text.
func goesOn(text []byte) bool { return len(text) > 0 && text[0]&0xc0 == 0x80 }

// hides says whether a character that isn't seen may begin with two bytes.
func hides(first, second byte) bool {
	return unseenPairs[first]>>(second&63)&1 != 0 && second&0xc0 == 0x80
}

// unseenPairs has, for each first byte of such a character, a bit for each second one.
var unseenPairs = func() (t [256]uint64) {
	add := func(from, to rune) {
		for r := max(from, utf8.RuneSelf); r <= to; r++ {
			var buf [utf8.UTFMax]byte
			text := utf8.AppendRune(buf[:0], r)
			t[text[0]] |= 1 << (text[1] & 63)
		}
	}
	for _, table := range append(app.Invisible(), unicode.White_Space) {
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi))
		}
	}
	return t
}()

// maxTerminal is the longest escape sequence, in bytes.
const maxTerminal = 64

// terminal returns the length of an escape sequence of terminals.
func terminal(text []byte) int {
	if len(text) < 2 {
		return 1
	}
	limit := min(len(text), maxTerminal)
	switch text[1] {
	case '[':
		for i := 2; i < limit; i++ {
			if text[i] >= '@' && text[i] <= '~' {
				return i + 1
			}
		}
	case ']':
		for i := 2; i < limit; i++ {
			if text[i] == 7 {
				return i + 1
			}
			if text[i] == '\\' && text[i-1] == 0x1b {
				return i + 1
			}
		}
	default:
		return 2
	}
	return 1
}
