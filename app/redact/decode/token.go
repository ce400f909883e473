package decode

import (
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// token is what stands between two signs.
type token struct {
	text []byte
	fits uint8 // bases in which it may be a number; see WordClass
	last uint8 // bases in which its last character is a digit
}

// Classes of bytes.
const (
	begins uint8 = 1 << iota // a number may begin with it
	alnum                    // a letter or digit
	base2
	base8
	base10
	base16
)

// WordClass says, of each byte, whether it is a letter or digit, and a digit in which bases; 0: it
// is neither.
var WordClass = charset.ClassOf(func(c byte) (k uint8) {
	if c == '_' || !charset.IsWord(c) {
		return 0
	}
	k = alnum
	if charset.HexDigit[c] >= 0 {
		k |= base16 | begins
	}
	if c == 'x' || c == 'u' || c == 'U' {
		k |= begins
	}
	if c >= '0' && c <= '9' {
		k |= base10
	}
	if c >= '0' && c <= '7' {
		k |= base8
	}
	if c == '0' || c == '1' {
		k |= base2
	}
	return k
})

// endOfWord returns where the letters and digits at an offset end.
func endOfWord(text []byte, i int) int {
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8 : i+8]
		first := WordClass[t[0]] & WordClass[t[1]] & WordClass[t[2]] & WordClass[t[3]]
		if first&WordClass[t[4]]&WordClass[t[5]]&WordClass[t[6]]&WordClass[t[7]]&alnum == 0 {
			break
		}
	}
	for i < len(text) && WordClass[text[i]] != 0 {
		i++
	}
	return i
}

func tokenAt(text []byte, from int) token {
	i, digits := from, uint8(0xff)
	for i < len(text) && WordClass[text[i]] != 0 {
		digits &= WordClass[text[i]]
		i++
	}
	t := token{text: text[from:i], fits: digits & fitting[min(i-from, len(fitting)-1)]}
	if i > from {
		t.last = WordClass[text[i-1]]
	}
	if mayBeMarked(t.text) {
		t.fits = 0xff
	}
	return t
}

// mayBeMarked says that a token may be a number that begins with the mark of its base.
func mayBeMarked(token []byte) bool {
	return len(token) > 1 && len(token) <= maxNumber &&
		(charset.HexDigit[token[0]] < 0 || token[0] == '0' && token[1] > '9')
}

// maxNumber is how long a number is, with the mark of its base.
const maxNumber = 10

// fitting has, for each length, the bases in which numbers are as long as that.
var fitting = [...]uint8{0, base10, base8 | base10 | base16, base8 | base10, base10, base10, base2 | base10,
	base2 | base10, base2, 0}

// number reads a token of one base, with the prefix that languages give it or without.
func number(t token, base int) (rune, bool) {
	token := t.text
	if len(token) > maxNumber {
		return 0, false
	}
	marked := false
	switch {
	case len(token) > 2 && token[0] == '0' && prefixed(token[1], base):
		token, marked = token[2:], true
	case len(token) > 1 && base == 16 && (token[0] == 'x' || token[0] == 'u' || token[0] == 'U'):
		token, marked = token[1:], true
	case base == 2 && (len(token) < 6 || len(token) > 8),
		base == 8 && len(token) != 3 && len(token) != 2,
		base == 16 && len(token) != 2:
		return 0, false
	}
	if base == 10 && len(token) > 7 {
		return 0, false
	}
	var n rune
	for _, c := range token {
		d := rune(charset.HexDigit[c])
		if d < 0 || int(d) >= base {
			return 0, false
		}
		n = n*rune(base) + d
	}
	return n, n <= utf8.MaxRune && (n < 256 || base == 10 || marked) && utf8.ValidRune(n)
}

// prefixed reports whether a letter behind a zero marks a base. ROT13 makes the marks of bases 2
// and 8 of each other, and leaves the digits.
func prefixed(c byte, base int) bool {
	switch c {
	case 'x', 'X':
		return base == 16
	case 'o', 'O', 'b', 'B':
		return base == 2 || base == 8
	}
	return false
}
