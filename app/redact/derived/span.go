package derived

import "math"

// Span maps a part of a view to a part of its parent.
type Span struct {
	At, N    int32 // in the view
	From, To int32 // in the parent
	How      how
	scale    Scale // of a share
	skip     int32 // decoded bytes between from and the first one
}

// Scale is how many characters of a code stand for how many bytes, and whether they do so only
// together.
type Scale struct {
	Chars, Bytes int32
	Grouped      bool
}

// Indivisible is the scale of what can't be told apart.
var Indivisible = Scale{0, 1, false}

// Floor returns where the characters of a byte begin.
func (s Scale) Floor(n int) int {
	if s.Grouped {
		return n / int(s.Bytes) * int(s.Chars)
	}
	return n * int(s.Chars) / int(s.Bytes)
}

// Ceil returns where the characters of the byte before end.
func (s Scale) Ceil(n int) int {
	if s.Chars == 0 {
		return math.MaxInt32
	}
	if s.Grouped {
		return (n + int(s.Bytes) - 1) / int(s.Bytes) * int(s.Chars)
	}
	return (n*int(s.Chars) + int(s.Bytes) - 1) / int(s.Bytes)
}

// how is the way in which a span maps to the parent.
type how uint8

// What a part of a span maps to.
const (
	Exact  how = iota // the same bytes
	Whole             // the whole span
	share             // the characters of a code that stand for these bytes
	Turned            // the same bytes, in reverse order
)

func (s Span) place(start, end int) (lo, hi int) {
	from, to := int(s.From), int(s.To)
	switch s.How {
	case Exact:
		return from + start, from + end
	case Turned:
		return to - end, to - start
	case share:
		return from + s.scale.Floor(int(s.skip)+start), min(to, from+s.scale.Ceil(int(s.skip)+end))
	}
	return from, to
}
