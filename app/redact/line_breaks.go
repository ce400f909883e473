package redact

import (
	"sort"

	"github.com/computclaw/airlock/app/multimatch"
)

// maxBreak is the longest line break, in bytes, across which a value is looked for: \r\n as JSON
// within JSON has it, and an empty line.
const maxBreak = 8

// newline tells line breaks from text, byte by byte. A break is any number of CR and LF and of
// their escapes, \r and \n with one backslash or more. A backslash counts as part of a break until
// the byte behind it says otherwise.
type newline struct {
	length  int // bytes of the break at the end of the text; 0 if there is none
	slashes int // backslashes at its end
	literal int // backslashes before the last byte that turned out to be text
}

func (l *newline) take(b byte) {
	l.literal = 0
	switch {
	case b == '\\':
		l.slashes++
		l.length++
	case b == '\r', b == '\n', l.slashes > 0 && (b == 'r' || b == 'n'):
		l.slashes = 0
		l.length++
	default:
		*l = newline{literal: l.slashes}
	}
}

// folded is the state of the machine over the text without its line breaks, which finds what an
// encoder broke into lines. It is on only while that state can differ from the one over the text as
// it is, so texts with few breaks cost little. It begins with what has begun before a break: a head
// at least.
type folded struct {
	on      bool
	at      multimatch.State
	last    uint32 // bytes
	taken   int    // bytes, without breaks
	removed int    // bytes of breaks
	breaks  []removed
}

// removed is a break, with the counts of folded before it.
type removed struct{ taken, removed int }

// fold takes a byte that is part of a break or follows one; before and at are the states of the
// text as it is.
func (s *scan) fold(before, at multimatch.State, b byte) {
	f := &s.folded
	if !f.on {
		*f = folded{on: true, at: before, last: s.machine.Last(before), breaks: f.breaks[:0]}
	}
	if s.lines.length > 0 {
		f.skip(s.machine, s.lines.length)
		return
	}
	for range s.lines.literal {
		f.removed--
		f.step(s.machine, '\\')
	}
	f.step(s.machine, b)
	if f.at != 0 && !s.loose {
		if out := s.machine.ending(f.at); out != nil && out.length > 0 {
			if span := f.span(int(out.length)); span > int(out.length) {
				s.hit(region{start: s.pos - span, end: s.pos, form: none, by: out.form, quiet: several})
				s.begin(out)
			}
		}
	}
	length := s.machine.Len(f.at)
	f.on = f.at != at || f.span(length) > length
}

func (f *folded) step(m *machine, b byte) {
	f.last = multimatch.Roll(f.last, b)
	f.at = m.Step(f.at, b, f.last)
	f.taken++
}

// skip leaves out a byte, which makes a break that long.
func (f *folded) skip(m *machine, length int) {
	f.removed++
	if length > maxBreak {
		f.at, f.last, f.breaks = 0, 0, f.breaks[:0]
		return
	}
	if length > 1 {
		return
	}
	from := f.taken - max(m.Len(f.at), headLen)
	for len(f.breaks) > 0 && f.breaks[0].taken <= from {
		f.breaks = f.breaks[1:]
	}
	f.breaks = append(f.breaks, removed{f.taken, f.removed - 1})
}

// span returns how long the last n bytes are with the breaks among and after them.
func (f *folded) span(n int) int {
	if n == 0 {
		return 0
	}
	from := f.taken - n
	first := sort.Search(len(f.breaks), func(i int) bool { return f.breaks[i].taken > from })
	if first == len(f.breaks) {
		return n
	}
	return n + f.removed - f.breaks[first].removed
}
