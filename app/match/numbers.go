package match

import "unicode/utf8"

// separates has the bytes that only separate numbers.
var separates = func() (separators [256]bool) {
	for _, b := range []byte(", +-;|./_xXuU#[](){}\t\r\n\"'") {
		separators[b] = true
	}
	return separators
}()

// numbersLayer reads lists of numbers: hex digits, x and U+ before hex, and colons or arrows (=>)
// behind names. Its rows count separators: unseparated digits are read as hex.
var numbersLayer = func() *layer {
	const separators, escapes = ", +-;|./_=xXuU#[](){}\t\r\n\"'\x00", "%\\&<nrt"
	l := newLayer(Numbers, inNumbers, 8, "0123456789abcdef:", "ABCDEF>", separators, escapes)
	for b, kind := range l.rows {
		switch value := l.values[b]; {
		case value >= 0 && value < nameEnd:
			l.rows[b] = kind &^ counted
		case kind >= inside:
			l.rows[b] = kind | counted
		}
	}
	l.plain = l.rows.parts()
	return l
}()

// nameEnd is the value of a name's end. Lower ones are digits, which nobody escapes alone.
const nameEnd = 16

type notation struct {
	hex   bool // in base 16
	names bool // a number before a colon or an arrow is a name, not one of the list
	wide  bool // numbers from 128 on are characters, not bytes
}

// listed is a decimal list's ambiguous features.
type listed struct{ names, wide bool }

// findNumbers searches lists as [115, 107] and {"0":115,"1":107}.
func (f *Finder) findNumbers(s *scratch, data []byte, part row, v view) {
	l := numbersLayer
	least := s.shortest - 1 // what separates bytes
	if f.wide {
		least = s.shortest/utf8.UTFMax - 1
	}
	for row := range l.rows.inPart(data, part, f.leastNumbers(s), least) {
		x := f.index(s, data, row, v)
		for at, stop := range l.stretches(data, x, row, least) {
			whole := s.atEnd[v.depth]
			s.atEnd[v.depth] = whole && goesOnBehind(data, stop)
			f.findLists(s, data[:stop], x, at, v)
			s.atEnd[v.depth] = whole
		}
	}
}

// leastNumbers returns the shortest list that may hold a pattern, in bytes.
func (f *Finder) leastNumbers(s *scratch) int {
	if s.open {
		return 1
	}
	if f.wide {
		return 3 * s.shortest / 2 // a character of four bytes has five digits or more
	}
	if f.controls {
		return 2*s.shortest - 1
	}
	return 3*s.shortest - 1 // most have two digits, and something between
}

func (f *Finder) findLists(s *scratch, data []byte, x *index, at int, v view) {
	var had listed
	f.findList(s, data, x, at, v, notation{names: true}, &had)
	var rest listed
	if had.names {
		f.findList(s, data, x, at, v, notation{}, &rest)
	}
	wide := had.wide && f.wide
	if wide {
		f.findList(s, data, x, at, v, notation{names: true, wide: true}, &rest)
	}
	if wide && had.names {
		f.findList(s, data, x, at, v, notation{wide: true}, &rest)
	}
	if had.names || f.controls { // others are read as hex anyway, of two digits each
		f.findList(s, data, x, at, v, notation{hex: true, names: true}, &rest)
	}
	if f.wide {
		f.findList(s, data, x, at, v, notation{hex: true, names: true, wide: true}, &rest)
	}
}

func (f *Finder) findList(s *scratch, data []byte, x *index, at int, v view, as notation, had *listed) {
	r := &s.runs[v.depth]
	for at < len(data) {
		at = s.readNumbers(r, data, x, at, as, had)
		if len(r.chars) >= s.shortest {
			f.findInside(s, r.chars, v.behindLayer(), Numbers, r.span)
			f.findCounted(s, r, v)
		}
		if s.atEnd[v.depth] && len(r.chars) > 0 && goesOnBehind(data, at) {
			f.addBegunNumber(s, r, at, v)
		}
	}
}

// findCounted searches every second number where the others count up, as in [0, 115], [1, 107].
func (f *Finder) findCounted(s *scratch, r *run, v view) {
	for first := range 2 {
		for from := first; from+2*s.shortest <= len(r.chars)+1; {
			to := from + 2 // behind the last that counts, and what it counts
			for to < len(r.chars) && r.chars[to] == r.chars[to-2]+1 {
				to += 2
			}
			if to-from >= 2*s.shortest-2 {
				text := s.decoded[v.depth][:0]
				for at := from + 1; at < min(to, len(r.chars)); at += 2 {
					text = append(text, r.chars[at])
				}
				s.decoded[v.depth] = text
				s.atEnd[v.depth+1] = s.atEnd[v.depth] && to >= len(r.chars)-1
				f.findInside(s, text, v.behindLayer(), Numbers, func(start, end int) (int, int) {
					start, _ = r.spanOf(from + 1 + 2*start)
					_, end = r.spanOf(from + 2*end - 1)
					return start, end
				})
				s.atEnd[v.depth+1] = false
			}
			from = to
		}
	}
}

// readNumbers reads a list of bytes or characters, perhaps behind numeric names, and returns its
// end. Separators may be escaped, digits may not.
func (s *scratch) readNumbers(r *run, data []byte, x *index, at int, as notation, had *listed) (end int) {
	r.reset()
	defer func(from int) { s.passed += end - from }(at)
	l := numbersLayer
	name, large := -1, false // how many characters there were before a number that can be a name; if it can be no byte
	base := 10
	if as.hex {
		base = 16
	}
	for passed := 0; at < len(data); {
		c := data[at]
		if separates[c] {
			if c > ' ' {
				passed++
			}
			if at++; passed > maxPassed {
				return at
			}
			continue
		}
		if int(digits[c]) < base {
			value, n := as.readNumber(data[at:])
			isLarge := !as.wide && value > 255
			if isLarge && large {
				return at
			}
			name, passed, large = len(r.chars), 0, isLarge
			r.addNumber(value, at, n, as.wide)
			had.wide = had.wide || value >= utf8.RuneSelf
			at += n
			continue
		}
		if c == 0 {
			if n := countZeros(data[at:]); n > maxZeros {
				return at + n
			}
		}
		value, n := l.values[c], 1
		if value == notOfIt || c == '=' && x.use(at)&l.use != 0 {
			value, n = s.readSpecial(data, x, at, l)
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
		if c > ' ' {
			passed += n
		}
		if at += n; passed > maxPassed {
			return at
		}
	}
	return at
}

// addNumber adds a number of a list.
func (r *run) addNumber(value, at, n int, wide bool) {
	if !wide || value < utf8.RuneSelf {
		r.add(byte(value), at, n)
		return
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
}

// readNumber reads a number and returns its length. UTF-16 has zero bytes between digits; hex has
// 0x before them. Large numbers become some number beyond unicode.MaxRune.
func (as notation) readNumber(data []byte) (value, n int) {
	base, at := 10, 0
	if as.hex {
		base = 16
		if len(data) > 2 && data[0] == '0' && data[1]|0x20 == 'x' && digits[data[2]] < 16 {
			at, n = 2, 2
		}
	}
	for first := at; at < len(data); at++ {
		switch digit := int(digits[data[at]]); {
		case digit < base:
			value = min(value*base+digit, 1<<30)
			n = at + 1
		case data[at] != 0 || n != at || n == first:
			return value, n
		}
	}
	return value, n
}
