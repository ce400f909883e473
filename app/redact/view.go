package redact

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"
)

// A view is a text that was made from another one by decoding, by leaving out or by turning round, with a map of where each part of it
// was. What is found in a view is masked where it came from.
type view struct {
	text   []byte
	spans  []span // ordered, without overlap; nil stands for the parent's text byte by byte
	marks  []mark // instead, if the view was filtered
	filter *filter
	parent *view    // nil for the root
	via    string   // how it was made from the root, the outermost step first
	depth  int      // steps of decoding
	kind   kind     // the last step
	odd    bool     // see build
	coarse bool     // a form in base 85 is in it, which goes on beyond what the machine knows of it
	spaced bool     // there is a view of it without spaces
	turns  [2]*view // of it: reversed, in ROT13
	packed bool     // it was compressed, which counts as one step with what it was written in
	joined bool     // something was left out somewhere on the way, so what is side by side may not have been
	made   *window  // once it is known: see all
}

// kind is a step that needn't or can't follow itself.
type kind uint8

const (
	kindRoot kind = iota
	kindSpaces
	kindSeams
	kindLetters
	kindReversed
	kindRotated
	kindDecoded
)

// span maps a part of a view to a part of its parent.
type span struct {
	at, n    int32 // in the view
	from, to int32 // in the parent
	how      how
	scale    scale // of a share
	skip     int32 // decoded bytes between from and the first one
}

// scale is how many characters of a code stand for how many bytes, and whether they do so only together.
type scale struct {
	chars, bytes int32
	grouped      bool
}

// together is the scale of what can't be told apart.
var together = scale{0, 1, false}

// floor returns where the characters of a byte begin.
func (s scale) floor(n int) int {
	if s.grouped {
		return n / int(s.bytes) * int(s.chars)
	}
	return n * int(s.chars) / int(s.bytes)
}

// ceil returns where the characters of the byte before end.
func (s scale) ceil(n int) int {
	if s.chars == 0 {
		return math.MaxInt32
	}
	if s.grouped {
		return (n + int(s.bytes) - 1) / int(s.bytes) * int(s.chars)
	}
	return (n*int(s.chars) + int(s.bytes) - 1) / int(s.bytes)
}

// how says what a part of a span maps to.
type how uint8

const (
	exactly how = iota // the same bytes
	whole              // the whole span
	share              // the characters of a code that stand for these bytes
	turned             // the same bytes, in reverse order
)

// place maps [start, end) of a view to its parent.
func (v *view) place(start, end int) (lo, hi int) {
	if v.marks != nil {
		return v.source(start), v.source(end-1) + 1
	}
	if v.spans == nil {
		return start, end
	}
	first := sort.Search(len(v.spans), func(i int) bool { return int(v.spans[i].at+v.spans[i].n) > start })
	lo, hi = -1, -1
	for _, s := range v.spans[first:] {
		if int(s.at) >= end {
			break
		}
		l, h := s.place(max(start, int(s.at))-int(s.at), min(end, int(s.at+s.n))-int(s.at))
		if lo < 0 || l < lo {
			lo = l
		}
		hi = max(hi, h)
	}
	return lo, hi
}

func (s span) place(start, end int) (lo, hi int) {
	from, to := int(s.from), int(s.to)
	switch s.how {
	case exactly:
		return from + start, from + end
	case turned:
		return to - end, to - start
	case share:
		return from + s.scale.floor(int(s.skip)+start), min(to, from+s.scale.ceil(int(s.skip)+end))
	}
	return from, to
}

// root maps [start, end) of a view to its root.
func (v *view) root(start, end int) (lo, hi int) {
	for ; v.parent != nil && start >= 0; v = v.parent {
		start, end = v.place(start, end)
	}
	return start, end
}

// all is the part of the root that the view was made of; it begins before 0 if there is none. It is kept, because to find it takes as long as the view has parts.
// Not safe for concurrent use.
func (v *view) all() window {
	if v.made == nil {
		from, to := v.root(0, len(v.text))
		v.made = &window{from, to}
	}
	return *v.made
}

// decoded says whether a step of decoding is on the way from the root.
func (v *view) decoded() bool {
	for ; v.parent != nil; v = v.parent {
		if v.kind == kindDecoded {
			return true
		}
	}
	return false
}

// turned says that the last step was to turn the text round.
func (v *view) turned() bool { return v.kind == kindReversed || v.kind == kindRotated }

// after reports whether a step is on the way from the root.
func (v *view) after(k kind) bool {
	for ; v.parent != nil; v = v.parent {
		if v.kind == k {
			return true
		}
	}
	return false
}

// build collects a view.
type build struct {
	text   []byte
	spans  []span
	marks  []mark  // instead, and
	filter *filter // what made it
	odd    bool    // what was left out is in no ordinary text
}

// add maps bytes to [from, to) of the parent.
func (b *build) add(text []byte, from, to int, how how) {
	if len(text) == 0 {
		return
	}
	at := len(b.text)
	b.text = append(roomFor(b.text, len(text)), text...)
	if n := len(b.spans); n > 0 && how == exactly && b.spans[n-1].how == exactly && int(b.spans[n-1].to) == from && int(b.spans[n-1].at+b.spans[n-1].n) == at {
		b.spans[n-1].n += int32(len(text))
		b.spans[n-1].to = int32(to)
		return
	}
	b.spans = append(roomFor(b.spans, 1), span{at: int32(at), n: int32(len(text)), from: int32(from), to: int32(to), how: how})
}

// roomFor doubles a list that has no room for so many more. What append would do copies a long one five times.
func roomFor[T any](list []T, more int) []T {
	if len(list)+more <= cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+more)
}

// barrier keeps what is before it from what is behind it.
func (b *build) barrier() {
	if n := len(b.text); n > 0 && b.text[n-1] != barrier {
		b.text = append(b.text, barrier)
	}
}

// barrier is a byte in no value and no code.
const barrier = 0xff

// How much readable text, in bytes, must stand together in what was decoded to be kept: as many as the shortest form that counts there has, within these
// bounds. Random bytes hold many short stretches and few long ones.
const (
	minStretch = minWhole
	maxStretch = 12
)

// readable adds those parts of decoded bytes that may be text, each with its share of [from, to) of the parent.
func (b *build) readable(data []byte, least, from, to int, s scale) {
	b.wide(data, from, to, s)
	for i := 0; i+least <= len(data); {
		if skip := broken(binary.BigEndian.Uint64(data[i:])); skip > 0 {
			i += skip
			continue
		}
		n := stretch(data[i:])
		if n >= least {
			b.spans = append(b.spans, span{at: int32(len(b.text)), n: int32(n), from: int32(from), to: int32(to), how: share, scale: s, skip: int32(i)})
			b.text = append(b.text, data[i:i+n]...)
			b.barrier()
		}
		i += max(n, 1)
	}
}

// broken returns how many of eight bytes, the first one highest, can't be in one text with the last of them: 0 if they may be UTF-8. It looks
// only at which bytes belong together, which is enough to pass over most of what is no text at all.
func broken(w uint64) int {
	const flags = highBits
	high := w & flags
	lead := high & (w << 1)
	more := high &^ lead
	bad := more&^(high>>8) | lead&^(more<<8)&^0x80 // a byte that goes on with nothing, or nothing goes on with it
	if bad == 0 {
		return 0
	}
	return minStretch - bits.TrailingZeros64(bad)/8
}

// stretch returns how many bytes at the beginning may be text: UTF-8, or UTF-16 of ASCII, with little else.
func stretch(data []byte) int {
	i := 0
	for i < len(data) {
		switch c := data[i]; {
		case textByte[c]:
			i++
		case c < 0xc2 || c > 0xf4:
			return i
		default:
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError {
				return i
			}
			i += size
		}
	}
	return i
}

// textByte says which ASCII characters are in text. NUL is in UTF-16, escape in what terminals show.
var textByte = func() (t [256]bool) {
	for c := ' '; c <= '~'; c++ {
		t[c] = true
	}
	t['\t'], t['\n'], t['\r'], t[0], t[0x1b] = true, true, true, true, true
	return t
}()
