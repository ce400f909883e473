package match

import "unicode/utf8"

// use is a set of searches to which an escape matters.
type use uint8

const (
	begins   use = 1 << iota // a match may begin with it
	goesOn                   // it stands for a character of a pattern, or for nothing between two
	inBase64                 // it may belong to a run of base64
	inBase32
	inHex      // of hex
	inNumbers  // between numbers
	inLayers   = inBase64 | inBase32 | inHex | inNumbers
	everywhere = goesOn | inLayers
)

// index holds the escapes in a part of a text, for every search there.
type index struct {
	from, to int
	escapes  bool     // there may be some
	uses     []use    // of the escape that begins at each place; 0 for none, and for one that can't matter
	likely   []likely // the last one first
}

// likely is the likeliest reading of an escape.
type likely struct {
	at int32
	reading
}

func (x *index) use(at int) use { return x.uses[at-x.from] }

func (f *Finder) index(s *scratch, data []byte, row row, v view) *index {
	x := &s.indexes[v.depth]
	if x.from <= row.start && row.end <= x.to {
		return x
	}
	return f.indexInto(x, s, data, row)
}

// indexInto makes x the escapes in a row.
func (f *Finder) indexInto(x *index, s *scratch, data []byte, row row) *index {
	x.from, x.to, x.escapes = row.start, row.end, row.escapes
	x.uses = append(x.uses[:0], make([]use, row.end-row.start)...)
	x.likely = x.likely[:0]
	for at := row.end - 1; row.escapes && at >= row.start; at-- {
		b := data[at]
		if b == 0 {
			x.add(at, everywhere, reading{n: 1})
		} else if isLineBreak(b) {
			if next := f.endOfBreak(x, data[:row.end], at, at+1); next > 0 { // layers pass over it anyway
				if data[at+1] == '+' { // more likely a character
					next = at + 1
				}
				x.add(at, goesOn, reading{n: uint8(min(next-at, 255))})
			}
		} else if !mayEscape(data[:row.end], at) {
			continue
		} else if b != data[at+1] {
			f.indexEscape(s, x, data[:row.end], at)
		} else if uses := f.uses[b] | x.use(at+1); b == '%' { // what follows is read as behind the second
			x.add(at, uses, reading{}) // which may begin an escape of its own
		} else {
			x.add(at, uses, reading{text: [utf8.UTFMax]byte{b}, size: 1, n: 2})
		}
	}
	return x
}

func (x *index) add(at int, uses use, r reading) {
	if x.uses[at-x.from] = uses; r.n > 0 {
		x.likely = append(x.likely, likely{int32(at), r})
	}
}

// indexEscape adds the escape at a place, after all escapes behind it. It may count nested ones
// that are too long: uses only tell where nothing matters.
func (f *Finder) indexEscape(s *scratch, x *index, data []byte, at int) {
	r := &s.readings
	r.size = 0
	r.readEscape(data[at], data[at:], 1)
	best := r.likeliest()
	var uses use
	for i := 0; i < r.size; i++ {
		v := &r.list[i]
		if v.size == 0 {
			if uses |= inLayers; data[at] != '<' || f.endOfBreak(x, data, at, at+int(v.n)) > 0 {
				uses |= goesOn
			}
			continue
		}
		uses |= f.uses[v.text[0]]
		if lead, ok := v.lead(); !ok {
			continue
		} else if isLineBreak(lead) {
			if f.joinsEscaped(x, data, at, at+int(v.n)) {
				uses |= goesOn
			}
		} else if last := at + int(v.n) - 1; data[last] == lead { // what follows is read as behind that lead
			uses |= x.use(last)
		} else {
			r.readEscape(lead, data[at:], int(v.n))
		}
	}
	x.add(at, uses, best)
}
