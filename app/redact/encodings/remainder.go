package encodings

import (
	"encoding/hex"
	"strings"
)

// Remainder is how a run goes on beyond the beginning of a value that was found. A run may go on in
// another line, or another text, only with these characters: else it would swallow the ordinary
// text that follows. Other runs end with their line. The zero Remainder is empty.
type Remainder struct {
	text    string // the value
	shift   int    // bytes before it in a group of base64; -1: hex
	next    int    // character that comes next
	letters bool   // others than letters and digits are left out
}

// Letters returns the remainder in text of which only letters and digits are left.
func (l Remainder) Letters() Remainder {
	l.letters = true
	return l
}

// Run returns the encoding of the run.
func (l Remainder) Run() RunSet {
	if l.shift < 0 {
		return RunHex
	}
	return RunBase64
}

// Empty reports whether no character is sure to be left.
func (l Remainder) Empty() bool {
	if l.shift < 0 {
		return l.next >= 2*len(l.text)
	}
	return l.next >= 8*(l.shift+len(l.text))/6
}

// Take returns what is left behind a character; ok is false if that isn't the next one.
func (l Remainder) Take(b byte) (rest Remainder, ok bool) {
	if l.letters {
		for !l.Empty() && l.shift >= 0 && l.digit() >= 62 {
			l.next++
		}
	}
	if l.Empty() {
		return l, false
	}
	if l.shift < 0 {
		var got [1]byte
		_, err := hex.Decode(got[:], []byte{'0', b})
		ok = err == nil && got[0] == l.nibble()
	} else {
		ok = l.digit() == digit64(b)
	}
	l.next++
	return l, ok
}

func (l Remainder) nibble() byte { return l.text[l.next/2] >> (4 * (1 - l.next%2)) & 15 }

// digit is the next six bits.
func (l Remainder) digit() int {
	bit := 6 * l.next
	two := int(l.byteAt(bit/8))<<8 | int(l.byteAt(bit/8+1))
	return two >> (10 - bit%8) & 63
}

func (l Remainder) byteAt(i int) byte {
	if i -= l.shift; i < 0 || i >= len(l.text) {
		return 0
	}
	return l.text[i]
}

// digit64 returns what a character stands for in either alphabet of base64; -1: nothing.
func digit64(b byte) int {
	switch b {
	case '-':
		return 62
	case '_':
		return 63
	}
	return strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", b)
}
