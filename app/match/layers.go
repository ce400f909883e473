package match

import (
	"encoding/binary"
	"iter"
	"slices"
)

// maxDepth is the most steps of decoding before a search.
const maxDepth = 2

func (v view) behindLayer() view { return view{v.depth + 1, true} }

// hasLayers reports whether layers are looked behind.
func (v view) hasLayers() bool { return !v.decoded && v.depth < maxDepth }

type layer struct {
	kind   Layer
	use    use
	bits   int       // of a character
	values [256]int8 // of its characters, or notOfIt, or between
	rows   rows      // of its characters, their breaks and their escapes
	plain  rows      // the same without escapes
	shifts int       // at how many characters a byte of the content may begin
}

const (
	notOfIt = -1
	between = -2 // stands between characters and is passed over
)

const digitsAndLetters = "0123456789" + letters

// base64Layer is base64 in either alphabet.
var base64Layer = newLayer(Base64, inBase64, 6,
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "-_", "\r\n\x00", "%\\&#;=<>$~`^")

// base32Layer and base32Small are base32 in capitals and in small letters.
var (
	base32Layer = newLayer(Base32, inBase32, 5, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "", "\r\n\x00",
		"%\\&#;=<>$~`^"+digitsAndLetters)
	base32Small = newLayer(Base32, inBase32, 5, "abcdefghijklmnopqrstuvwxyz234567", "", "\r\n\x00",
		"%\\&#;=<>$~`^"+digitsAndLetters)
)

// textLayers are those that are written in letters.
var textLayers = []*layer{base64Layer, base32Layer, base32Small}

// hexLayer is hex, with what usually stands between its digits.
var hexLayer = newLayer(Hex, inHex, 4,
	"0123456789abcdef", "ABCDEF", ":-,. +_;/|#()[]{}\t\r\n\x00\"'xXuU", "%\\&=nrRt<>")

// newLayer makes a layer. chars: digits in order. aliases: alternatives for the last ones.
// separators: text between digits. escapes: what else escapes and tags are written with.
func newLayer(kind Layer, use use, bits int, chars, aliases, separators, escapes string) *layer {
	l := &layer{kind: kind, use: use, bits: bits, rows: newRows(chars+aliases, separators+escapes)}
	for l.shifts = 1; l.shifts*bits%8 != 0; l.shifts++ {
	}
	for i := range l.values {
		l.values[i] = notOfIt
	}
	for i := range len(separators) {
		l.values[separators[i]] = between
	}
	for i := range len(chars) {
		l.values[chars[i]] = int8(i)
	}
	for i := range len(aliases) {
		l.values[aliases[i]] = int8(len(chars) - len(aliases) + i)
	}
	for b, kind := range l.rows {
		if kind&(counted|blank) != 0 || l.values[b] == between {
			l.rows[b] |= part
		}
	}
	l.plain = l.rows.parts()
	return l
}

// run is characters, or their values, with where each is written.
type run struct {
	chars  []byte
	pieces []piece
}

// piece is where characters are written one after the other. Each takes width bytes.
type piece struct{ char, at, width int32 }

func (r *run) reset() { r.chars, r.pieces = r.chars[:0], r.pieces[:0] }

// add adds a character that is written at a place.
func (r *run) add(char byte, at, width int) {
	r.piece(at, width)
	r.chars = append(r.chars, char)
}

// addText adds characters of one byte each.
func (r *run) addText(text []byte, at int) {
	if len(text) > 0 {
		r.piece(at, 1)
		r.chars = append(r.chars, text...)
	}
}

// piece begins a piece, or goes on with the last one.
func (r *run) piece(at, width int) {
	if n := len(r.pieces); n > 0 {
		last := r.pieces[n-1]
		if int(last.width) == width && int(last.at)+(len(r.chars)-int(last.char))*width == at {
			return
		}
	}
	r.pieces = append(r.pieces, piece{int32(len(r.chars)), int32(at), int32(width)})
}

// cut takes off all characters but the first n.
func (r *run) cut(n int) {
	r.chars = r.chars[:n]
	for len(r.pieces) > 0 && int(r.pieces[len(r.pieces)-1].char) >= n {
		r.pieces = r.pieces[:len(r.pieces)-1]
	}
}

// spanOf returns where a character begins and ends.
func (r *run) spanOf(char int) (at, end int) {
	i, _ := slices.BinarySearchFunc(r.pieces, char, func(p piece, char int) int { return int(p.char) - char - 1 })
	p := r.pieces[i-1]
	at = int(p.at) + (char-int(p.char))*int(p.width)
	return at, at + int(p.width)
}

// least returns how many characters of the layer the shortest pattern takes.
func (l *layer) least(s *scratch) int {
	if s.open {
		return 1
	}
	return 8 * s.shortest / l.bits
}

// findEncoded decodes each run of a layer's characters in a row, if it is long enough for a
// pattern, and searches the result.
func (f *Finder) findEncoded(s *scratch, data []byte, row row, v view, l *layer) {
	x := f.index(s, data, row, v)
	for at, stop := range l.stretches(data, x, row, l.least(s)) {
		for at < stop {
			end, escaped := s.readRun(&s.runs[v.depth], data[:stop], x, at, l)
			open := s.atEnd[v.depth] && goesOnBehind(data, end)
			s.atEnd[v.depth+1] = open
			f.findDecoded(s, v, l)
			if escaped {
				f.findBetweenEscapes(s, data[:end], x, at, v, l, open)
			}
			s.atEnd[v.depth+1] = false
			at = end
		}
	}
}

// findBetweenEscapes searches the runs between escapes. A decoded escape may be a lead and begin a
// run.
func (f *Finder) findBetweenEscapes(s *scratch, data []byte, x *index, at int, v view, l *layer, open bool) {
	for stop := at; stop <= len(data); stop++ {
		if stop < len(data) && l.rows[data[stop]]&(escaping|part) != escaping {
			continue
		}
		for at+l.least(s) <= stop {
			at, _ = s.readRun(&s.runs[v.depth], data[:stop], x, at, l)
			s.atEnd[v.depth+1] = open && stop == len(data)
			f.findDecoded(s, v, l)
		}
		at = stop + 1
	}
}

// stretches returns the parts of a row in which a run may have so many characters. It reads no
// escapes: each is taken for as long as one can be.
func (l *layer) stretches(data []byte, x *index, row row, least int) iter.Seq2[int, int] {
	return func(yield func(at, stop int) bool) {
		if !x.escapes { // all between two bytes that stand in no run
			for stretch := range l.plain.inPart(data, row, max(1, least), least) {
				if !yield(stretch.start, stretch.end) {
					return
				}
			}
			return
		}
		from, count, escape := row.start, 0, 0 // escape is where the last one may end
		for at := row.start; at < row.end; at++ {
			kind := l.rows[data[at]]
			switch {
			case kind&escaping != 0 && x.use(at)&l.use != 0:
				escape = at + maxEscape
			case kind&part == 0 && at >= escape:
				if count >= least && !yield(from, at) {
					return
				}
				from, count = at+1, 0
			}
			count += int(kind & counted)
		}
		if count >= least {
			yield(from, row.end)
		}
	}
}

// readRun reads the run at a place. It returns its end, with the terminator, and whether part of it
// is escaped.
func (s *scratch) readRun(r *run, data []byte, x *index, at int, l *layer) (end int, escaped bool) {
	r.reset()
	defer func(from int) { s.passed += end - from }(at)
	gap := false // whether something was passed over, and so layout may be
	for passed := 0; at < len(data); {
		if l.values[data[at]] >= 0 {
			at, passed, gap = at+r.addChars(data[at:], at, l), 0, false
			continue
		}
		if n := countZeros(data[at:]); n > maxZeros {
			return at + n, escaped
		}
		value, n := l.values[data[at]], 1
		if value == notOfIt && gap && data[at] <= ' ' && isBlank(data[at]) {
			value = between
		} else if value == notOfIt {
			s.readings.single = len(r.chars) == 0
			value, n = s.readSpecial(data, x, at, l)
			s.readings.single = false
			escaped = escaped || value != notOfIt && isLead(data[at]) && !passes(data[at])
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
		if l.kind == Hex && data[at]|0x20 == 'x' && len(r.chars) > 0 && data[at-1] == '0' {
			r.cut(len(r.chars) - 1) // 0x, before digits
		}
		gap = value == between
		at += n
	}
	return at, escaped
}

// addChars adds the characters of a layer with which data begins, and returns how many these are.
func (r *run) addChars(data []byte, at int, l *layer) (n int) {
	r.piece(at, 1)
	r.chars = slices.Grow(r.chars, len(data))
	chars := r.chars[len(r.chars) : len(r.chars)+len(data)]
	for n < len(data) && l.values[data[n]] >= 0 {
		chars[n] = byte(l.values[data[n]])
		n++
	}
	r.chars = r.chars[:len(r.chars)+n]
	return n
}

// maxZeros is how many zero bytes stand between two characters, in UTF-32.
const maxZeros = 3

// countZeros returns with how many zero bytes data begins.
func countZeros(data []byte) (n int) {
	for n+8 <= len(data) && binary.NativeEndian.Uint64(data[n:]) == 0 { // disk images have many
		n += 8
	}
	for n < len(data) && data[n] == 0 {
		n++
	}
	return n
}

// readSpecial reads an escape, which is not of the layer by itself.
func (s *scratch) readSpecial(data []byte, x *index, at int, l *layer) (value int8, n int) {
	if x.use(at)&l.use == 0 {
		return notOfIt, 1
	}
	value, n = notOfIt, 0
	s.readings.readNested(data[at:])
	for _, r := range s.readings.all() {
		v := int8(between)
		if r.size > 0 {
			v = l.values[r.text[0]]
		}
		if r.size <= 1 && v != notOfIt && (value < 0 && v >= 0 || value < 0 == (v < 0) && int(r.n) > n) {
			value, n = v, int(r.n)
		}
	}
	return value, max(n, 1)
}

// findDecoded searches a decoded run at each alignment that its bytes may have. The run may be cut
// off what it continues: zeros stand for characters that are missing before the first.
func (f *Finder) findDecoded(s *scratch, v view, l *layer) {
	r := &s.runs[v.depth]
	if len(r.chars) < l.least(s) || s.open && !s.atEnd[v.depth+1] {
		return
	}
	for shift := range l.shifts {
		if (l.shifts-shift)%l.shifts >= len(r.chars) {
			continue // otherwise the live view would hold back the end of each word
		}
		out := &s.decoded[v.depth]
		chars := r.chars
		if shift > 0 {
			s.shifted = append(append(s.shifted[:0], make([]byte, shift)...), r.chars...)
			chars = s.shifted
		}
		switch l.bits {
		case 4:
			*out = decode4((*out)[:0], chars)
		case 5:
			*out = decode5((*out)[:0], chars)
		case 6:
			*out = decode6((*out)[:0], chars)
		}
		if s.atEnd[v.depth+1] {
			f.addBegunByte(s, r, shift, l)
		}
		// Characters that hold something else too stay.
		f.findInside(s, s.decoded[v.depth], v.behindLayer(), l.kind, func(start, end int) (int, int) {
			start, _ = r.spanOf(max(0, (8*start+l.bits-1)/l.bits-shift))
			_, end = r.spanOf(max(0, 8*end/l.bits-1-shift))
			return start, end
		})
	}
}

// decode6 decodes values of six bits.
func decode6(out, chars []byte) []byte {
	out = slices.Grow(out, len(chars))[:len(chars)*3/4]
	at := 0
	for ; len(chars) >= 4; chars = chars[4:] {
		bits := uint32(chars[0])<<18 | uint32(chars[1])<<12 | uint32(chars[2])<<6 | uint32(chars[3])
		three := out[at : at+3]
		three[0], three[1], three[2] = byte(bits>>16), byte(bits>>8), byte(bits)
		at += 3
	}
	if len(chars) > 1 {
		out[at] = chars[0]<<2 | chars[1]>>4
	}
	if len(chars) > 2 {
		out[at+1] = chars[1]<<4 | chars[2]>>2
	}
	return out
}

// decode4 decodes values of four bits.
func decode4(out, chars []byte) []byte {
	out = slices.Grow(out, len(chars)/2)[:len(chars)/2]
	for i := range out {
		out[i] = chars[2*i]<<4 | chars[2*i+1]
	}
	return out
}

// decode5 decodes values of five bits.
func decode5(out, chars []byte) []byte {
	bits, n := uint16(0), 0
	for _, c := range chars {
		bits, n = bits<<5|uint16(c), n+5
		if n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	return out
}

// findInside searches a decoded text and maps its matches back to where they are written.
func (f *Finder) findInside(s *scratch, text []byte, v view, kind Layer, where func(start, end int) (int, int)) {
	first := len(s.matches)
	f.find(s, text, v)
	for i := range s.matches[first:] {
		m := &s.matches[first+i]
		m.Start, m.End = where(m.Start, m.End)
		m.Layer = kind
	}
}

// span returns where the characters from start to end are written.
func (r *run) span(start, end int) (int, int) {
	start, _ = r.spanOf(start)
	_, end = r.spanOf(end - 1)
	return start, end
}
