package match

import (
	"strings"
)

// begun is the pattern of a match that the text's end cuts off.
const begun = -2

// open returns the first place in data that may belong to a match continuing behind it. before: the
// byte that precedes data.
func (f *Finder) open(data []byte, before byte) int {
	if f.IsEmpty() {
		return len(data)
	}
	s := f.borrow()
	defer f.scratch.Put(s)
	from := max(0, len(data)-2*f.countHeld(data)) // the beginning of a run doesn't matter
	s.open, s.atEnd[0], s.shortest = true, true, 1
	f.find(s, data[from:], view{})
	at := f.words.open(data, before)
	for _, m := range s.matches {
		if m.Pattern == begun {
			at = min(at, from+m.Start)
		}
	}
	return at
}

// addBegun adds matches begun at the end of data, where the searched text ends.
func (f *Finder) addBegun(s *scratch, data []byte) {
	start, first := len(data), max(0, len(data)-maxEscape)
	for at := first; at < len(data); at++ {
		if f.leads[data[at]] && !passes(data[at]) && isBegun(data[at:]) {
			start = at
			break
		}
	}
	for row := range f.near.inPart(data, f.near.lastIn(data), 1, 1) {
		for at := row.end; at > row.start && at >= first; at-- {
			if at == len(data) || isBegun(data[at:]) {
				row.end = at
				if begins := f.findBegun(s, data[:at], row); begins < at {
					start = min(start, begins)
				}
			}
		}
	}
	if start < len(data) {
		s.matches = append(s.matches, Match{Start: start, End: len(data), Pattern: begun})
	}
}

// findBegun returns where the first pattern or part begins that continues behind a row.
func (f *Finder) findBegun(s *scratch, data []byte, last row) int {
	start, found := len(data), len(s.matches)
	last.start = max(last.start, len(data)-f.countHeld(data))
	var x index
	f.scanRow(s, data[last.start:], f.indexInto(&x, s, data, last).uses)
	s.matches = s.matches[:found]
	for _, n := range s.ending {
		for ; n != 0; n = f.automaton.suffixes[n] {
			start = min(start, f.startOfBegun(s, data, n))
		}
	}
	return start
}

// startOfBegun returns where the pattern or part of a node reached at data's end begins.
func (f *Finder) startOfBegun(s *scratch, data []byte, n node) int {
	prefix := f.automaton.text(n)
	whole, missing := f.startOf(s, data, len(data), prefix, false)
	if missing > 0 {
		return len(data)
	}
	start := len(data)
	for i := f.automaton.of[n]; int(i) < len(f.automaton.texts) && strings.HasPrefix(f.automaton.texts[i], prefix); i++ {
		for j := f.heads[i]; j != none; j = f.entries[j].same {
			e := &f.entries[j]
			if len(e.text) == len(prefix) && e.after == "" {
				continue // complete
			}
			before := len(e.upTo) - len(e.text)
			if start = min(start, whole); before > 0 && f.mayEndWith(data[:whole], e.upTo[before-1]) {
				if at, missing := f.startOf(s, data, len(data), e.upTo[:before+len(prefix)], false); missing <= before {
					start = min(start, at)
				}
			}
		}
	}
	return start
}

// mayEndWith reports whether a text may end with a character, plain or escaped.
func (f *Finder) mayEndWith(text []byte, c byte) bool {
	for i := max(0, len(text)-maxEscape); i < len(text); i++ {
		if f.leads[text[i]] || i == len(text)-1 && folded[text[i]] == folded[c] {
			return true
		}
	}
	return false
}

// goesOnBehind reports whether a run that ends at a place, with its terminator, continues behind
// data.
func goesOnBehind(data []byte, end int) bool {
	return end == len(data) || isBegun(data[end:]) || end > 0 && isBegun(data[end-1:])
}

// isBegun reports whether a text begins an escape, whose lead may be escaped itself.
func isBegun(text []byte) bool {
	switch {
	case len(text) >= maxEscape || !isLead(text[0]):
		return false
	case passes(text[0]):
		return true
	case len(text) > 1 && !mayEscape(text, 0) && !isLead(text[1]):
		return false
	}
	inner := unescapeOnce(text)
	return isHalf(text) || len(inner) > 0 && isLead(inner[0]) && isHalf(inner)
}

// addBegunByte adds matches begun by a run's last characters, which are no whole byte yet.
func (f *Finder) addBegunByte(s *scratch, r *run, shift int, l *layer) {
	bits := (len(r.chars) + shift) * l.bits % 8
	first := max(0, len(r.chars)-(bits+l.bits-1)/l.bits)
	value := 0
	for _, c := range r.chars[first:] {
		value = value<<l.bits | int(c)
	}
	value &= 1<<bits - 1
	for b := value << (8 - bits); bits > 0 && b < (value+1)<<(8-bits); b++ {
		if f.uses[b]&begins != 0 {
			start, end := r.span(first, len(r.chars))
			s.matches = append(s.matches, Match{Start: start, End: end, Pattern: begun})
			return
		}
	}
}

// addBegunNumber adds matches begun by a list that ends at a place. Its last number may have more
// digits.
func (f *Finder) addBegunNumber(s *scratch, r *run, end int, v view) {
	inner := v.depth + 1
	s.atEnd[inner] = true
	f.findInside(s, r.chars, v.behindLayer(), Numbers, r.span)
	s.atEnd[inner] = false
	n := len(r.chars) - 1
	if start, last := r.spanOf(n); last == end {
		s.matches = append(s.matches, Match{Start: start, End: end, Pattern: begun})
		s.atEnd[inner] = true
		f.findInside(s, r.chars[:n], v.behindLayer(), Numbers, r.span)
		s.atEnd[inner] = false
		r.cut(n)
		f.findCounted(s, r, v)
	}
}
