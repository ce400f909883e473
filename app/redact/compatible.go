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
func composed(r rune) bool {
	if r < low {
		return lowComposed[r>>6]>>(r&63)&1 != 0
	}
	return r <= 0x24ff && r != 0x2192 || r >= 0x2a0c && r <= 0x2adc || r >= 0x2c7c && r <= 0x2fff || r >= 0x3000 && r <= 0x33ff || r >= 0xa66f && r <= 0xabff ||
		r >= 0xf900 && r <= 0xffef || r >= 0x10000
}

// low is where characters begin of which blocks are told apart only.
const low = 0x2000

// lowComposed has a bit for each lower character for which composed says yes.
var lowComposed = func() (t [low / 64]uint64) {
	for r := rune(utf8.RuneSelf); r < low; r++ {
		text := string(r)
		if !norm.NFKC.IsNormalString(text) || !norm.NFKC.PropertiesString(text).BoundaryBefore() {
			t[r>>6] |= 1 << (r & 63)
		}
	}
	return t
}()
