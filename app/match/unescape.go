package match

import (
	"bytes"
	"slices"
)

// unescaped looks behind escapes that are escaped themselves, such as HTML in JSON: it takes off the outer ones between two places.
func (f *Finder) unescaped(s *scratch, data []byte, at, end, depth int) {
	r := &s.runs[depth]
	for _, punctuation := range []bool{false, true} { // what was read as a letter may be a lead, and the beginning of a pattern
		s.unescape(r, data[:end], at, punctuation)
		s.decoded[depth] = append(s.decoded[depth][:0], r.chars...)
		f.inside(s, depth, Plain, func(m Match) Match {
			m.Start, _ = r.where(m.Start)
			_, m.End = r.where(m.End - 1)
			return m
		})
	}
}

// nested reports whether an escape in data stands for a byte with which another may begin.
func (f *Finder) nested(s *scratch, data []byte) bool {
	s.unitsAt = -1
	if !slices.ContainsFunc(f.leads, func(b byte) bool { return b != 0 && bytes.IndexByte(data, b) >= 0 }) {
		return false
	}
	for at := 0; at+1 < len(data); at++ {
		if !isLead(data[at]) || data[at] == 0 || !f.plausible(data, at) {
			continue
		}
		s.units.read(data[at:min(len(data), at+maxEscape)], false)
		for _, u := range s.units.all() {
			if u.size == 1 && u.text[0] != 0 && bytes.IndexByte(f.leads, u.text[0]) >= 0 {
				return true
			}
		}
	}
	return false
}

// unescape reads from a place to the end of data, each escape as the character it most likely stands for; with punctuation only those that don't stand
// for a letter or digit, which stay as they are.
func (s *scratch) unescape(r *run, data []byte, at int, punctuation bool) {
	r.reset()
	s.unitsAt = -1
	for at < len(data) {
		u := s.likeliest(data, at)
		if u == nil || punctuation && (u.size != 1 || classes[u.text[0]]&className != 0) {
			r.add(data[at], at, 1)
			at++
			continue
		}
		for i, b := range u.bytes() {
			width := int(u.n)
			if i > 0 {
				width = 0
			}
			r.add(b, at+int(u.n)-width, width)
		}
		at += int(u.n)
	}
}

// likeliest returns the longest reading that stands for one character of ASCII, and else the longest; nil if there is no escape.
func (s *scratch) likeliest(data []byte, at int) *unit {
	if !isLead(data[at]) {
		return nil
	}
	s.units.read(data[at:min(len(data), at+maxEscape)], false)
	var best *unit
	for i := range s.units.all() {
		u := &s.units.list[i]
		if data[at] == '%' && u.size == 1 && u.text[0] == '%' && data[at+1] == '%' {
			continue // what follows may be an escape of its own
		}
		if data[at] == '\\' && u.n == 2 && u.size == 1 && u.text[0] < ' ' {
			continue // more often a backslash: a control character is not written twice
		}
		if best == nil || u.ascii() && !best.ascii() || u.ascii() == best.ascii() && u.n > best.n {
			best = u
		}
	}
	return best
}

func (u *unit) ascii() bool { return u.size == 0 || u.size == 1 && u.text[0] < 0x80 }
