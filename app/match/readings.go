package match

import (
	"unicode"
	"unicode/utf8"
)

// reading is one way to read the first n bytes. An empty text passes over them.
type reading struct {
	text [utf8.UTFMax]byte
	size uint8
	n    uint8
}

func (r *reading) bytes() []byte { return r.text[:r.size] }

// lead returns the lead for which the escape stands, if it isn't zero.
func (r *reading) lead() (byte, bool) {
	b := r.text[0]
	return b, r.size == 1 && b != 0 && isLead(b)
}

// readings collects the ways to read a text's beginning, apart from its plain first byte.
type readings struct {
	list   [24]reading // no text has so many
	size   int
	wide   bool // other characters than those of ASCII count
	blanks bool // blanks count, at which a text may be wrapped
	single bool // a lead that is written twice does not: the second begins all that the first does
}

func (r *readings) all() []reading { return r.list[:r.size] }

// add adds an ASCII character or another byte for the first n bytes. A zero byte is passed over.
func (r *readings) add(n int, b byte) {
	if b == 0 {
		r.addText(n, "")
	} else if n <= maxEscape && r.size < len(r.list) {
		r.list[r.size] = reading{text: [utf8.UTFMax]byte{b}, size: 1, n: uint8(n)}
		r.size++
	}
}

// addText adds a text for the first n bytes, or passes over them.
func (r *readings) addText(n int, text string) {
	if n <= maxEscape && r.size < len(r.list) {
		v := &r.list[r.size]
		v.size, v.n = uint8(copy(v.text[:], text)), uint8(n)
		r.size++
	}
}

// addByte adds a byte, and the character with that number, for which some write it.
func (r *readings) addByte(n int, b byte) {
	if b < utf8.RuneSelf {
		r.add(n, b)
	} else if r.wide {
		r.add(n, b)
		r.addRune(n, rune(b))
	}
}

// addRune adds a character by number, beyond ASCII also its small letter.
func (r *readings) addRune(n int, c rune) {
	if c < utf8.RuneSelf {
		r.add(n, byte(c))
	} else if r.wide && utf8.ValidRune(c) {
		r.addText(n, string(c))
		if small := unicode.ToLower(c); small != c && small >= utf8.RuneSelf {
			r.addText(n, string(small))
		}
	}
}
