package match

import (
	"bytes"
	"unicode/utf8"
)

// numbersLayer is lists of numbers. Its characters are hex digits and, behind names, the colon or the
// end of an arrow (=>). L, U, u and n say the type of a literal, x and U+ that it is hex. What its rows
// count is what stands between numbers: digits that nothing separates are read as hex.
var numbersLayer = func() *layer {
	const separators, escapes = ", +-;|./_=LUunxX#[]\t\r\n\"'\x00", "%\\&<rt"
	l := newLayer(Numbers, inNumbers, 8, "0123456789abcdef:", "ABCDEF>", separators, escapes)
	for b, kind := range l.rows {
		switch value := l.values[b]; {
		case value >= 0 && value < nameEnd:
			l.rows[b] = kind &^ counted
		case kind >= inside:
			l.rows[b] = kind | counted
		}
	}
	return l
}()

// nameEnd is the value of what ends a name. Those below it are of digits, which nobody escapes.
const nameEnd = 16

// notation is how the numbers of a list are written.
type notation struct {
	hex   bool // in base 16
	names bool // a number before a colon or an arrow is a name, not one of the list
	wide  bool // numbers from 128 on are characters, not bytes
}

// listed is what a list of decimal numbers had that may be meant otherwise.
type listed struct{ names, wide, typed bool }

// findNumbers searches lists of numbers, such as [115, 107], {"0":115,"1":107} and 0x73L, 0x6bL.
func (f *Finder) findNumbers(s *scratch, data []byte, part row, depth int) {
	l := numbersLayer
	least := f.shortest - 1 // what separates bytes
	if f.wide {
		least = f.shortest/utf8.UTFMax - 1
	}
	for row := range l.rows.in(data, part, f.leastNumbers(), least) {
		x := f.index(s, data, row, depth)
		for at, stop := range l.stretches(data, x, row, least) {
			f.findLists(s, data[:stop], x, at, depth)
		}
	}
}

// leastNumbers returns how long the shortest list is in which there may be a pattern, in bytes.
func (f *Finder) leastNumbers() int {
	if f.wide {
		return 3 * f.shortest / 2 // a character of four bytes has five digits or more
	}
	return 3*f.shortest - 1 // most have two digits, and something between
}

// findLists searches a stretch for lists in each notation that it may have.
func (f *Finder) findLists(s *scratch, data []byte, x *index, at, depth int) {
	var had listed
	f.findList(s, data, x, at, depth, notation{names: true}, &had)
	var rest listed
	if had.names {
		f.findList(s, data, x, at, depth, notation{}, &rest)
	}
	wide := had.wide && f.wide
	if wide {
		f.findList(s, data, x, at, depth, notation{names: true, wide: true}, &rest)
	}
	if wide && had.names {
		f.findList(s, data, x, at, depth, notation{wide: true}, &rest)
	}
	if had.names || had.typed { // others are read as hex anyway
		f.findList(s, data, x, at, depth, notation{hex: true, names: true}, &rest)
	}
	if had.typed && f.wide {
		f.findList(s, data, x, at, depth, notation{hex: true, names: true, wide: true}, &rest)
	}
}

// findList searches a stretch for lists in one notation.
func (f *Finder) findList(s *scratch, data []byte, x *index, at, depth int, as notation, had *listed) {
	r := &s.runs[depth]
	for at < len(data) {
		if at = s.readNumbers(r, data, x, at, as, had); len(r.chars) >= f.shortest {
			f.findInside(s, r.chars, depth, Numbers, r.span)
		}
	}
}

// readNumbers reads a list of bytes, also signed ones, or of characters, perhaps each behind a name
// that is a number, and returns the place after what ends it. Digits stand as they are; what is
// between them may be escaped.
func (s *scratch) readNumbers(r *run, data []byte, x *index, at int, as notation, had *listed) (end int) {
	r.reset()
	l := numbersLayer
	name, large := -1, false // how many characters there were before a number that can be a name; if it is nothing else
	signed, letter := -1, -1 // where a number is negative, and where a letter of a type ends
	for passed := 0; at < len(data); {
		if value, n := as.number(data[at:]); n > 0 {
			if large {
				return at
			}
			if at == signed {
				value = -value // of a signed byte
			}
			name, passed = len(r.chars), 0
			large = r.addNumber(value, at, n, as.wide)
			had.wide = had.wide || value >= utf8.RuneSelf
			at += n
			if n := typeOf(data[at:]); n > 0 {
				at, had.typed = at+n, true
			}
			continue
		}
		if n := zeros(data[at:]); n > maxZeros {
			return at + n
		}
		value, n := l.values[data[at]], 1
		if value == notOfIt || data[at] == '=' && x.use(at)&l.use != 0 {
			value, n = s.special(data, x, at, l)
		}
		if data[at] == '-' && s.readings.wide && at != letter && (passed > 0 || at == 0 || !isName(data[at-1])) {
			signed = at + 1
		}
		if value == between && isName(data[at]) {
			letter, had.typed = at+1, true
		}
		switch {
		case value == notOfIt, value >= 0 && value < nameEnd: // a digit of hex
			return at + 1
		case value >= 0 && name >= 0: // a colon
			if had.names = true; as.names {
				r.cut(name)
				name, large = -1, false
			}
		}
		if data[at] > ' ' {
			passed += n
		}
		if at += n; passed > maxPassed {
			return at
		}
	}
	return at
}

// addNumber adds a number of a list. It reports whether that can be nothing but a name.
func (r *run) addNumber(value, at, n int, wide bool) (large bool) {
	if !wide || value < utf8.RuneSelf {
		r.add(byte(value), at, n)
		return value > 255
	}
	if value > utf8.MaxRune {
		value = utf8.RuneError
	}
	for i, b := range []byte(string(rune(value))) {
		if i > 0 {
			at, n = at+n, 0
		}
		r.add(b, at, n)
	}
	return false
}

// typeOf returns the length of the type of Rust behind a number.
func typeOf(data []byte) int {
	for _, name := range []string{"u8", "u16", "u32", "u64"} {
		if bytes.HasPrefix(data, []byte(name)) {
			return len(name)
		}
	}
	return 0
}

// number reads a number of up to nine digits, between which UTF-16 has zero bytes, and returns its
// length, in hex with 0x before it.
func (as notation) number(data []byte) (value, n int) {
	base, at := 10, 0
	if as.hex {
		base = 16
		if len(data) > 2 && data[0] == '0' && data[1]|0x20 == 'x' && digits[data[2]] < 16 {
			at, n = 2, 2
		}
	}
	for first, count := at, 0; count < 9 && at < len(data); at++ {
		switch digit := int(digits[data[at]]); {
		case digit < base:
			value = value*base + digit
			count++
			n = at + 1
		case data[at] != 0 || n != at || n == first:
			return value, n
		}
	}
	return value, n
}
