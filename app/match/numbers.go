package match

import "bytes"

// numbersLayer is lists of numbers. Its characters are the digits and, behind names, the colon or the
// end of an arrow (=>). L, U, u and n say the type of a literal.
var numbersLayer = newLayer(Numbers, inNumbers, 8,
	"0123456789:", ">", ", +-;|./_=LUun\t\r\n\"'\x00", "%\\&#<xrtaAbBcCdDeEfF")

// findNumbers searches lists of decimal numbers, such as [115, 107] and {"0":115,"1":107}.
func (f *Finder) findNumbers(s *scratch, data []byte, part row, depth int) {
	r, l := &s.runs[depth], numbersLayer
	least := 3*f.shortest - 1 // most have two digits, and something between
	for row := range l.rows.in(data, part, least, f.shortest) {
		x := f.index(s, data, row, depth)
		for at, stop := range l.stretches(data, x, row, f.shortest) {
			for at < stop {
				if at = s.readNumbers(r, data[:stop], x, at); len(r.chars) >= f.shortest {
					f.findInside(s, r.chars, depth, Numbers, r.span)
				}
			}
		}
	}
}

// readNumbers reads a list of numbers from 0 to 255, or of signed bytes, perhaps each behind a name that is a number,
// and returns the place after what ends it. Digits stand as they are; what is between them may be
// escaped.
func (s *scratch) readNumbers(r *run, data []byte, x *index, at int) (end int) {
	r.reset()
	l := numbersLayer
	last, large := false, false // whether the last number can be a name, and nothing else
	signed := -1                // where a number is negative
	for passed := 0; at < len(data); {
		if value, n := decimal(data[at:]); n > 0 {
			if large {
				return at
			}
			if at == signed {
				value = -value // of a signed byte
			}
			r.add(byte(value), at, n)
			last, large, passed = true, value > 255, 0
			at += n
			if bytes.HasPrefix(data[at:], []byte("u8")) { // of Rust
				at += 2
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
		if data[at] == '-' && s.readings.wide && (passed > 0 || at == 0 || !isName(data[at-1])) {
			signed = at + 1
		}
		switch {
		case value == notOfIt, value >= 0 && value < 10: // no digit is escaped
			return at + 1
		case value >= 0 && last: // a colon
			r.drop()
			last, large = false, false
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

// decimal reads a number of up to nine digits, between which UTF-16 has zero bytes, and returns its
// length.
func decimal(data []byte) (value, n int) {
	for at, count := 0, 0; count < 9 && at < len(data); at++ {
		switch digit := digits[data[at]]; {
		case digit <= 9:
			value = 10*value + int(digit)
			count++
			n = at + 1
		case data[at] != 0 || n != at || n == 0:
			return value, n
		}
	}
	return value, n
}
