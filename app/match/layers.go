package match

import (
	"slices"
	"strings"
)

// maxLayers is how many layers may lie on top of each other.
const maxLayers = 2

// layer is an encoding whose text is looked into.
type layer struct {
	kind   Layer
	bits   int       // of a character
	values [256]int8 // of its characters, or notOfIt, or between
	near   [256]bool // bytes that its runs, their breaks and their escapes are written with
	shifts int       // at how many characters a byte of the content may begin
}

const (
	notOfIt = -1
	between = -2 // stands between characters and is passed over
)

// base64Layer is base64 in either alphabet.
var base64Layer = newLayer(Base64, 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "-_", "\r\n\x00", "%\\&#;=")

// hexLayer is hex, with what usually stands between its digits.
var hexLayer = newLayer(Hex, 4, "0123456789abcdef", "", ":-,. _;/|\t\r\n\x00\"'xX", "%\\&#=uUnrt")

// newLayer takes the characters by value, those that stand for the last ones too, what stands between, and what escapes are written with.
func newLayer(kind Layer, bits int, chars, also, breaks, escapes string) *layer {
	l := &layer{kind: kind, bits: bits, shifts: 8 / gcd(8, bits)}
	for i := range l.values {
		l.values[i] = notOfIt
	}
	for i := range len(breaks) {
		l.values[breaks[i]] = between
	}
	for i := range len(chars) {
		l.values[chars[i]] = int8(i)
		if kind == Hex && chars[i] >= 'a' {
			l.values[chars[i]-'a'+'A'] = int8(i)
		}
	}
	for i := range len(also) {
		l.values[also[i]] = int8(len(chars) - len(also) + i)
	}
	for b, v := range l.values {
		l.near[b] = v != notOfIt
	}
	for i := range len(escapes) {
		l.near[escapes[i]] = true
	}
	return l
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// run is a row of characters of a layer, with where each is written.
type run struct {
	chars  []byte // their values
	pieces []piece
}

// piece is where characters are written one after the other. Each takes width bytes.
type piece struct{ char, at, width int }

func (r *run) reset() { r.chars, r.pieces = r.chars[:0], r.pieces[:0] }

func (r *run) add(value byte, at, width int) {
	if n := len(r.pieces); n == 0 || r.pieces[n-1].width != width || r.end() != at {
		r.pieces = append(r.pieces, piece{len(r.chars), at, width})
	}
	r.chars = append(r.chars, value)
}

// end returns where the last piece ends.
func (r *run) end() int {
	last := r.pieces[len(r.pieces)-1]
	return last.at + (len(r.chars)-last.char)*last.width
}

// where returns where a character begins and ends.
func (r *run) where(char int) (at, end int) {
	i, _ := slices.BinarySearchFunc(r.pieces, char, func(p piece, char int) int { return p.char - char - 1 })
	p := r.pieces[i-1]
	at = p.at + (char-p.char)*p.width
	return at, at + p.width
}

// layers looks behind every layer in data.
func (f *Finder) layers(s *scratch, data []byte, depth int) {
	s.unitsAt = -1
	f.runs(s, data, depth, base64Layer)
	f.runs(s, data, depth, hexLayer)
	f.numbers(s, data, depth)
}

// runs looks into each run of the layer's characters that is long enough for a pattern.
func (f *Finder) runs(s *scratch, data []byte, depth int, l *layer) {
	least := 8 * f.shortest / l.bits
	for at := nextRun(data, 0, least, &l.near, isIndent); at < len(data); at = nextRun(data, at, least, &l.near, isIndent) {
		for stop := endOfRun(data, at, &l.near, isIndent); at < stop; {
			end, escaped := s.readRun(&s.runs[depth], data[:stop], at, l, true)
			f.decode(s, depth, l, least)
			if escaped { // what was read as an escape may be a lead and then the beginning of a run
				for at < end {
					at, _ = s.readRun(&s.runs[depth], data[:end], at, l, false)
					f.decode(s, depth, l, least)
				}
			}
			at = end
		}
	}
}

// readRun reads the run that begins at a place, and returns the place after what ends it and whether a character of it is escaped. Without escapes these
// end a run.
func (s *scratch) readRun(r *run, data []byte, at int, l *layer, escapes bool) (end int, escaped bool) {
	r.reset()
	for passed := 0; at < len(data); {
		if value := l.values[data[at]]; value > 0 || value == 0 && (l.bits != 4 || at+1 == len(data) || data[at+1]|0x20 != 'x') {
			r.add(byte(value), at, 1)
			at, passed = at+1, 0
			continue
		}
		if zeros := zerosAt(data, at); zeros > maxZeros {
			return at + zeros, escaped
		}
		value, n := s.special(data, at, l)
		if isLead(data[at]) {
			if !escapes {
				return at + 1, false
			}
			escaped = true
		}
		switch {
		case value >= 0:
			r.add(byte(value), at, n)
			passed = 0
		case value == between && data[at] <= ' ': // a line may be indented at will
		case value == between && passed+n <= maxPassed:
			passed += n
		default:
			return at + 1, escaped
		}
		at += n
	}
	return at, escaped
}

// maxZeros is how many zero bytes stand between two characters, in UTF-32.
const maxZeros = 3

// zerosAt returns how many zero bytes follow from a place.
func zerosAt(data []byte, at int) int {
	n := 0
	for at+n < len(data) && data[at+n] == 0 {
		n++
	}
	return n
}

// special reads what is no character of the layer by itself.
func (s *scratch) special(data []byte, at int, l *layer) (value int8, n int) {
	switch value = l.values[data[at]]; {
	case value == 0: // 0x, before hex digits
		return between, 2
	case value == between:
		return between, 1
	case isIndent(data, at):
		return between, 1
	}
	value = notOfIt
	s.read(data, at)
	for _, u := range s.units.all() {
		v := int8(between)
		if u.size > 0 {
			v = l.values[u.text[0]]
		}
		if u.size <= 1 && v != notOfIt && (value < 0 && v >= 0 || value < 0 == (v < 0) && int(u.n) > n) {
			value, n = v, int(u.n)
		}
	}
	return value, n
}

// decode looks for patterns in what a run of at least so many characters stands for, at each place where a byte of it may begin.
func (f *Finder) decode(s *scratch, depth int, l *layer, least int) {
	r := &s.runs[depth]
	if len(r.chars) < least {
		return
	}
	for shift := range l.shifts {
		if l.bits == 6 {
			s.decoded[depth] = decode6(s.decoded[depth][:0], r.chars[shift:])
		} else {
			s.decoded[depth] = decode4(s.decoded[depth][:0], r.chars[shift:])
		}
		f.inside(s, depth, l.kind, func(m Match) Match { // the characters that hold nothing else
			m.Start, _ = r.where(shift + (8*m.Start+l.bits-1)/l.bits)
			_, m.End = r.where(shift + 8*m.End/l.bits - 1)
			return m
		})
	}
}

// decode6 decodes values of six bits.
func decode6(out, chars []byte) []byte {
	for ; len(chars) >= 4; chars = chars[4:] {
		v := uint32(chars[0])<<18 | uint32(chars[1])<<12 | uint32(chars[2])<<6 | uint32(chars[3])
		out = append(out, byte(v>>16), byte(v>>8), byte(v))
	}
	if len(chars) > 1 {
		out = append(out, chars[0]<<2|chars[1]>>4)
	}
	if len(chars) > 2 {
		out = append(out, chars[1]<<4|chars[2]>>2)
	}
	return out
}

// decode4 decodes values of four bits.
func decode4(out, chars []byte) []byte {
	for ; len(chars) >= 2; chars = chars[2:] {
		out = append(out, chars[0]<<4|chars[1])
	}
	return out
}

// inside finds what is in the decoded text of a depth and puts it where it is written.
func (f *Finder) inside(s *scratch, depth int, kind Layer, outside func(Match) Match) {
	first := len(s.matches)
	f.find(s, s.decoded[depth], depth+1)
	s.unitsAt = -1
	for i := first; i < len(s.matches); i++ {
		s.matches[i] = outside(s.matches[i])
		s.matches[i].Layer = kind
	}
}

// numbers looks into lists of decimal numbers, such as [115, 107].
func (f *Finder) numbers(s *scratch, data []byte, depth int) {
	least := 3*f.shortest - 1 // two digits and something between
	for at := nextRun(data, 0, least, &numberBytes, never); at < len(data); at = nextRun(data, at, least, &numberBytes, never) {
		for stop := endOfRun(data, at, &numberBytes, never); at < stop; {
			r := &s.runs[depth]
			at = s.readNumbers(r, data[:stop], at)
			if len(r.chars) < f.shortest {
				continue
			}
			s.decoded[depth] = append(s.decoded[depth][:0], r.chars...)
			f.inside(s, depth, Numbers, func(m Match) Match {
				m.Start, _ = r.where(m.Start)
				_, m.End = r.where(m.End - 1)
				return m
			})
		}
	}
}

var numberBytes = setOf("0123456789, ;\t\r\n\x00\"'%\\&#=xunrtaAbBcCdDeEfF")

// readNumbers reads a list of numbers from 0 to 255 and returns the place after what ends it. Digits stand as they are; what is between them may be escaped.
func (s *scratch) readNumbers(r *run, data []byte, at int) (end int) {
	r.reset()
	for passed := 0; at < len(data); {
		start, value := at, 0
		for ; at < len(data) && at < start+4 && '0' <= data[at] && data[at] <= '9'; at++ {
			value = 10*value + int(data[at]-'0')
			if at+1 < len(data) && data[at+1] == 0 && at+2 < len(data) && '0' <= data[at+2] && data[at+2] <= '9' {
				start++ // of UTF-16
				at++
			}
		}
		switch {
		case at > start && value > 255:
			return at
		case at > start:
			r.add(byte(value), start, at-start)
			passed = 0
			continue
		}
		if zeros := zerosAt(data, at); zeros > maxZeros {
			return at + zeros
		}
		n := 1
		if strings.IndexByte(", ;\t\r\n\x00\"'", data[at]) < 0 {
			var v int8
			if v, n = s.special(data, at, separators); v != between {
				return at + 1
			}
		}
		if passed += n; data[at] <= ' ' {
			passed -= n
		}
		if at += n; passed > maxPassed {
			return at
		}
	}
	return at
}

// separators are what may stand between numbers.
var separators = newLayer(Numbers, 4, "", "", ", ;\t\r\n\"'", "")
