package match

import (
	"bytes"
	"iter"
)

// Lines may break inside a pattern, plainly, escaped or by a tag, and be indented. A break is an
// escape that stands for nothing.

// readLineBreak skips the text before a following line break.
func (r *readings) readLineBreak(data []byte, at int) bool {
	if !isLineBreak(data[at]) {
		return false
	}
	r.addText(at, "")
	return true
}

// readWrapped passes over a line break and the following blank (LDIF, calendars, mail) or all
// blanks. The break also stands for the blank at which a text was wrapped.
func (r *readings) readWrapped(data []byte, at int) {
	n := layoutLength(data[at:])
	r.addText(at, "")
	if n > 0 {
		r.addText(at+1, "")
	}
	if n > 1 {
		r.addText(at+n, "")
	}
	if r.blanks {
		r.add(at+n, ' ')
	}
}

func isLineBreak(b byte) bool { return b == '\r' || b == '\n' }

// isBlank reports whether b is a blank, or a plus sign, which forms use.
func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '+' }

// layoutLength returns the length of a line's indentation: plus signs, or spaces, tabs and zero
// bytes.
func layoutLength(data []byte) (n int) {
	for n < len(data) && (isBlank(data[n]) || data[n] == 0) && (data[n] == '+') == (data[0] == '+') {
		n++
	}
	return n
}

// tagLength returns the length of a <br> tag, also as PHP writes it in JSON, after its bracket.
func tagLength(data []byte) int {
	if len(data) < 2 || !isBreak(data) {
		return 0
	}
	return 1 + bytes.IndexByte(data[:min(len(data), len(`br \/>`))], '>')
}

func isBreak(name []byte) bool { return name[0]|0x20 == 'b' && name[1]|0x20 == 'r' }

// endOfBreak returns where a pattern may continue behind a break from start to end, or 0.
func (f *Finder) endOfBreak(x *index, data []byte, start, end int) (next int) {
	if next = end + layoutLength(data[end:]); start == x.from || next == len(data) {
		return 0
	}
	if x.use(next)&goesOn != 0 || f.joins(data[start-1], data[end:]) ||
		f.near[data[next]] >= inside && f.behindEscape(data[x.from:start]) {
		return next
	}
	return 0
}

func (f *Finder) behindEscape(text []byte) bool {
	last := text[len(text)-1]
	return passes(last) || last == '>' || f.behindLead(text)
}

// joinsEscaped is joins for an escaped break before unescaped text. Others are unescaped first.
func (f *Finder) joinsEscaped(x *index, data []byte, start, end int) bool {
	next := end + layoutLength(data[end:])
	return start > x.from && next < len(data) && (f.joins(data[start-1], data[end:]) ||
		(f.alphabet[data[next]] || f.alphabet[data[end]]) && f.behindEscape(data[x.from:start]))
}

// reachFar continues behind indentation that is longer than any escape.
func (f *Finder) reachFar(s *scratch, data []byte, from state, at, first int) {
	if s.farAt <= at {
		n := layoutLength(data[at:])
		if n <= maxEscape {
			return
		}
		s.farAt = at + n
	}
	if f.blanks {
		f.walk(s, data, from.node, []byte{' '}, s.farAt, first)
	}
	s.reach(s.farAt, state{from.node, from.end + s.farAt - at})
}

// joins reports whether the text behind a break continues a pattern with the character before. The
// break may also stand for a pattern's blank.
func (f *Finder) joins(before byte, rest []byte) bool {
	next := layoutLength(rest)
	return next < len(rest) && (f.pairs.has(before, rest[next]) ||
		(f.blanks || rest[0] == '+') && f.pairs.has(before, ' '))
}

// pairSet is a set of pairs of bytes.
type pairSet [1 << 16 / 64]uint64

func (s *pairSet) add(a, b byte)      { s[pairOf(a, b)/64] |= 1 << (pairOf(a, b) % 64) }
func (s *pairSet) has(a, b byte) bool { return s[pairOf(a, b)/64]&(1<<(pairOf(a, b)%64)) != 0 }

func pairOf(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// pairsOf returns the adjacent bytes of a folded text, in either case.
func pairsOf(text string) iter.Seq2[byte, byte] {
	return func(yield func(a, b byte) bool) {
		for i := 1; i < len(text); i++ {
			for _, a := range unfold(text[i-1]) {
				for _, b := range unfold(text[i]) {
					if !yield(a, b) {
						return
					}
				}
			}
		}
	}
}
