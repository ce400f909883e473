package redact

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// compatible writes what is not ASCII with the plainest characters that mean the same, such as A for a wide A, together with what is near.
// nil if nothing changes.
func compatible(text []byte, near around) *build {
	b := build{}
	end := 0 // of the last change
	for i := nextComposed(text, 0); i < len(text); i = nextComposed(text, i) {
		from := i
		for from > end && text[from-1] >= utf8.RuneSelf && text[from-1] != barrier {
			from--
		}
		from = max(from-1, end)
		for i < len(text) && text[i] >= utf8.RuneSelf && text[i] != barrier {
			i++
		}
		if norm.NFKC.IsNormal(text[from:i]) {
			continue
		}
		b.nearby(text, end, from, near)
		var it norm.Iter
		it.Init(norm.NFKC, text[from:i])
		for !it.Done() {
			at := it.Pos()
			out := it.Next()
			b.add(out, from+at, from+it.Pos(), whole)
		}
		end = i
	}
	return b.rest(text, end, near)
}

// nextComposed returns the offset of the next character for which composed says yes, or the length of the text.
func nextComposed(text []byte, i int) int {
	for i < len(text) {
		if i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&highBits == 0 {
			i += 8
			continue
		}
		if composes[text[i]] && goesOn(text[i+1:]) {
			if r, _ := utf8.DecodeRune(text[i:]); r != utf8.RuneError && composed(r) {
				return i
			}
		}
		i++
	}
	return len(text)
}

// goesOn says whether a text begins with a byte that goes on with a character. It saves decoding what is no text.
func goesOn(text []byte) bool { return len(text) > 0 && text[0]&0xc0 == 0x80 }

// composes has the first bytes of characters of which some are composed.
var composes = func() (t [256]bool) {
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if composed(r) {
			var buf [utf8.UTFMax]byte
			t[utf8.AppendRune(buf[:0], r)[0]] = true
		}
	}
	return t
}()

// composed reports whether a character may have a plainer form or join the one before it. It saves asking about ordinary ones.
func composed(r rune) bool { return unicode.Is(maybeComposed, r) }

// maybeComposed has every character that NFKC changes or puts together with another one, and many others: what is left out is what ordinary text is full of.
var maybeComposed = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xa0, 0xbe, 1}, {0x132, 0x133, 1}, {0x13f, 0x140, 1}, {0x149, 0x149, 1}, {0x17f, 0x17f, 1}, {0x1c4, 0x1cc, 1}, {0x1f1, 0x1f3, 1}, // Latin
		{0x2b0, 0x36f, 1}, {0x374, 0x387, 1}, {0x3d0, 0x3d6, 1}, {0x3f0, 0x3f9, 1}, {0x483, 0x487, 1}, {0x587, 0x5c7, 1}, {0x610, 0x61a, 1}, {0x64b, 0x65f, 1},
		{0x670, 0x678, 1}, {0x6d6, 0x6ed, 1}, {0x711, 0x711, 1}, {0x730, 0x74a, 1}, {0x7eb, 0x7fd, 1},
		{0x816, 0x2191, 1}, {0x2193, 0x24ff, 1}, // without an arrow that logs use
		{0x2a0c, 0x33ff, 1}, {0xa66f, 0xabff, 1}, {0xf900, 0xffef, 1}, // without frames, Han and Hangul
	},
	R32:         []unicode.Range32{{0x10000, unicode.MaxRune, 1}},
	LatinOffset: 1,
}
