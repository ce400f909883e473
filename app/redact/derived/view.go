package derived

import (
	"bytes"
	"sort"
)

// View is a text made from another one by decoding, leaving out or turning round.
//
// It has a map of where each part of it was: a value found in a view is masked where it came from.
type View struct {
	Text   []byte
	Spans  []Span // ordered, without overlap; nil stands for the parent's text byte by byte
	Marks  []mark // instead, if the view was filtered
	Filter *filter
	Parent *View    // nil for the root
	Via    string   // how it was made from the root, the outermost step first
	Depth  int      // steps of decoding
	Kind   Kind     // the last step
	Odd    bool     // see Builder
	Coarse bool     // a form in base 85 is in it, which goes on beyond what the machine knows of it
	Spaced bool     // there is a view of it without spaces
	Turns  [2]*View // of it: reversed, in ROT13
	Packed bool     // it was compressed, which counts as one step with what it was written in
	Joined bool     // something was left out on the way, so neighbours may not have been neighbours
	extent *Window  // once it is known: see Extent
}

// Kind is the step by which a view was made.
type Kind uint8

// The steps. What is decoded by a Code, escapes or lists is KindDecoded.
const (
	KindRoot Kind = iota
	KindSpaces
	KindSeams
	KindLetters
	KindReversed
	KindRotated
	KindDecoded
)

// Place maps [start, end) of a view to its parent.
func (v *View) Place(start, end int) (lo, hi int) {
	if v.Marks != nil {
		return v.source(start), v.source(end-1) + 1
	}
	if v.Spans == nil {
		return start, end
	}
	first := sort.Search(len(v.Spans), func(i int) bool { return int(v.Spans[i].At+v.Spans[i].N) > start })
	lo, hi = -1, -1
	for _, s := range v.Spans[first:] {
		if int(s.At) >= end {
			break
		}
		l, h := s.place(max(start, int(s.At))-int(s.At), min(end, int(s.At+s.N))-int(s.At))
		if lo < 0 || l < lo {
			lo = l
		}
		hi = max(hi, h)
	}
	return lo, hi
}

// ToRoot maps [start, end) of a view to its root.
func (v *View) ToRoot(start, end int) (lo, hi int) {
	for ; v.Parent != nil && start >= 0; v = v.Parent {
		start, end = v.Place(start, end)
	}
	return start, end
}

// Extent is the part of the root that the view was made of; it begins before 0 if there is none. It
// is kept, because to find it takes as long as the view has parts. Not safe for concurrent use.
func (v *View) Extent() Window {
	if v.extent == nil {
		from, to := v.ToRoot(0, len(v.Text))
		v.extent = &Window{from, to}
	}
	return *v.extent
}

// Decoded reports whether a step of decoding is on the way from the root.
func (v *View) Decoded() bool { return v.After(KindDecoded) }

// Turned reports whether the last step was to turn the text round.
func (v *View) Turned() bool { return v.Kind == KindReversed || v.Kind == KindRotated }

// After reports whether a step is on the way from the root.
func (v *View) After(k Kind) bool {
	for ; v.Parent != nil; v = v.Parent {
		if v.Kind == k {
			return true
		}
	}
	return false
}

// Undone reports whether a step of decoding made any byte of a place, rather than left it alone.
func (v *View) Undone(start, end int) bool {
	for ; v.Parent != nil && start >= 0; v = v.Parent {
		lo, hi := v.Place(start, end)
		if v.Kind == KindDecoded && (lo < 0 || !bytes.Equal(v.Text[start:end], v.Parent.Text[lo:hi])) {
			return true
		}
		start, end = lo, hi
	}
	return false
}
