package redact

import (
	"encoding/binary"

	"github.com/computclaw/airlock/app/multimatch"
	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/encodings"
)

// scan runs a machine over a text that comes in pieces.
type scan struct {
	machine *machine
	classes *[256]encodings.RunSet
	at      multimatch.State
	pos     int // bytes taken
	base    int // of the bytes that are being taken
	regions []region
	runs    encodings.RunSet // in which the region that ends at runEnd goes on
	runEnd  int
	runBy   int32                 // form with which it began
	left    []encodings.Remainder // of the runs
	crossed bool                  // a run has gone on over a line break
	matched int                   // characters of it behind that which are not in the region yet
	lines   newline
	folded  folded
	words   bool   // needles that count only as words count
	loose   bool   // only needles count that are safe to look for in joined text
	open    bool   // candidate ends at pos and counts if no word character follows
	word    region // the candidate
	tail    [headLen - 1]byte
	active  []fragment
	ended   ended
	pending int // offset from which on what was taken may yet become a fragment; counts only where there are fragments
}

func newScan(m *machine) scan { return scan{machine: m, classes: &encodings.RunsOf, words: true} }

// take scans buf[from:]. buf begins at offset base of the whole text and has, before from, at least
// headLen bytes (or all that there are) and one byte before every needle that may end here.
func (s *scan) take(buf []byte, base, from int) {
	s.base = base
	for i := from; i < len(buf); {
		if s.idle() {
			s.lines = newline{}
			if i = s.machine.Skip(buf, max(i-headLen+1, 0)) + headLen - 1; i >= len(buf) {
				break
			}
		} else if s.steady() {
			if i = s.walk(buf, i); i >= len(buf) {
				break
			}
		}
		s.step(buf, base, i)
		i++
	}
	s.pos = base + len(buf)
	if s.machine.fragments != nil {
		s.pending = s.openFragment(buf)
	}
	copy(s.tail[:], buf[max(len(buf)-len(s.tail), 0):])
}

// idle reports whether no needle has begun and nothing waits for the next byte.
func (s *scan) idle() bool { return s.at == 0 && s.nothingWaits() }

// steady reports whether a needle has begun and nothing else matters.
func (s *scan) steady() bool { return s.nothingWaits() && s.lines.length == 0 }

func (s *scan) nothingWaits() bool {
	return !s.open && s.runs == 0 && !s.folded.on && len(s.active) == 0
}

// walk takes bytes for as long as a needle goes on and there is nothing to do, and returns the
// offset of the next one. In a text that is one byte again and again, state and ending stay the
// same from byte to byte, so both are remembered.
func (s *scan) walk(buf []byte, i int) int {
	m, at := s.machine.Automaton, s.at
	var same multimatch.End // the ending that made the last region a byte longer
	var turned struct {
		from, to multimatch.State
		end      multimatch.End // of to
		b        byte
	}
	for ; i < len(buf) && i >= headLen-1; i++ {
		b := buf[i]
		if s.classes[b]&encodings.LineBreak != 0 {
			break
		}
		next := at + 1
		var end multimatch.End
		switch {
		case m.Follows(at, b):
			end = m.End(next)
		case at == turned.from && b == turned.b:
			next, end = turned.to, turned.end
		default:
			if next = m.Turn(at, b, binary.LittleEndian.Uint32(buf[i-headLen+1:])); next != 0 {
				end = m.End(next)
			}
			turned.from, turned.to, turned.end, turned.b = at, next, end, b
		}
		if next == 0 {
			break
		}
		if end != 0 && end == same {
			s.regions[len(s.regions)-1].end = s.base + i + 1
		} else if end != 0 && !s.extendLast(end, i) {
			break
		}
		at, same = next, end
	}
	s.at = at
	return i
}

// extendLast makes the last region a byte longer if that is all that the needles which end at
// offset i of buf mean.
func (s *scan) extendLast(end multimatch.End, i int) bool {
	out, n := s.machine.sums[end].Load(), len(s.regions)
	if out == nil || n == 0 || len(out.words) > 0 || out.runs != 0 || out.seed != 0 || s.loose {
		return false
	}
	last, pos := &s.regions[n-1], s.base+i
	if last.end != pos || last.form != none || last.start > pos+1-int(out.length) {
		return false
	}
	last.quiet = mix(last.quiet, out.quiet)
	last.end = pos + 1
	return true
}

// step takes one byte, and settles what waited for it.
func (s *scan) step(buf []byte, base, i int) {
	b := buf[i]
	s.pos = base + i
	if s.lines.length > 0 || s.classes[b]&encodings.LineBreak != 0 {
		s.lines.take(b)
	}
	if s.open || s.runs != 0 {
		s.settleWaiting(buf, base, b)
	}
	before := s.at
	if i >= headLen-1 {
		s.at = s.machine.Step(before, b, binary.LittleEndian.Uint32(buf[i-headLen+1:]))
	}
	s.pos++
	if s.folded.on || (s.lines.length > 0 && before != 0) {
		s.fold(before, s.at, b)
	}
	if len(s.active) > 0 {
		s.advance(b)
	}
	if s.at != 0 {
		if out := s.machine.ending(s.at); out != nil {
			s.note(out, buf[:i+1], base)
		}
	}
	if len(s.active) > 0 {
		s.cover() // now, because what is found whole goes before a part of the same length
	}
}

// settleWaiting settles what waited for the next byte.
func (s *scan) settleWaiting(buf []byte, base int, b byte) {
	if s.open {
		s.open = false
		if !(charset.IsWord(b) && charset.IsWord(buf[s.word.end-1-base])) {
			s.hit(s.word)
		}
	}
	if s.runs != 0 {
		s.continueRun(b)
	}
}

// continueRun makes the region of a run longer, or ends the run.
func (s *scan) continueRun(b byte) {
	switch {
	case s.lines.length > maxBreak || s.lines.literal > 0:
		s.runs = 0
	case s.lines.length > 0:
		s.runs &= s.unfinished()
		if !s.crossed || s.matched >= minCrossed {
			s.crossed, s.matched = true, 0
		}
	default:
		followed := s.follow(b)
		if s.loose || s.crossed { // what follows may be other text
			s.runs &= followed
		}
		if s.runs &= s.classes[b]; s.runs == 0 {
			return
		}
		if s.matched++; s.crossed && s.matched < minCrossed && s.unfinished() != 0 {
			return
		}
		s.hit(region{start: s.runEnd - 1, end: s.pos + 1, form: none, by: s.runBy, quiet: none})
		s.runEnd = s.pos + 1
	}
}

// minCrossed is how many characters a run has behind a line break, unless it ends there: fewer are
// chance.
const minCrossed = 4

// unfinished returns the runs of which characters are sure to be left.
func (s *scan) unfinished() (runs encodings.RunSet) {
	for _, l := range s.left {
		if !l.Empty() {
			runs |= l.Run()
		}
	}
	return runs
}

// follow returns the runs that go on with a byte as their values do. Behind the end of a value the
// run goes on to the end of its line, but not in joined text, where nothing tells that.
func (s *scan) follow(b byte) (runs encodings.RunSet) {
	kept := s.left[:0]
	for _, l := range s.left {
		ok := l.Empty() && !s.loose
		if !l.Empty() {
			l, ok = l.Take(b)
		}
		if ok {
			runs |= l.Run()
			kept = append(kept, l)
		}
	}
	s.left = kept
	return runs
}

// note takes note of what ends at the end of buf.
func (s *scan) note(out *ending, buf []byte, base int) {
	if out.seed != 0 {
		s.activate(out.seed, buf)
	}
	if s.loose {
		if n := int(out.looseLength); n > 0 {
			s.hit(region{start: s.pos - n, end: s.pos, form: none, by: out.looseForm, quiet: several})
			s.begin(out)
		}
		return
	}
	for _, w := range out.words {
		if !s.words {
			break
		}
		start := len(buf) - int(w.length)
		if charset.IsWord(buf[start]) && start > 0 && charset.IsWord(buf[start-1]) {
			continue
		}
		s.open = true
		s.word = region{start: base + start, end: s.pos, form: w.form, by: w.form, quiet: w.owner}
		break // shorter ones end at the same byte and lie within
	}
	if n := int(out.length); n > 0 {
		s.hit(region{start: s.pos - n, end: s.pos, form: out.form, by: out.form, quiet: out.quiet})
		s.begin(out)
	}
}

// begin takes note of the runs that begin with what ends at pos.
func (s *scan) begin(out *ending) {
	if out.runs == 0 {
		return
	}
	if s.runs == 0 {
		s.left = s.left[:0]
	}
	s.left = append(s.left, out.left...)
	s.left = s.left[:copy(s.left, s.left[max(len(s.left)-maxLeft, 0):])]
	s.crossed = false
	s.runs |= out.runs
	s.runEnd, s.runBy = s.pos, out.form
}

// maxLeft is how many remainders are followed: there are more only where values repeat themselves.
const maxLeft = 32

// hit adds a region; none that is there ends after it.
func (s *scan) hit(h region) { s.regions = s.machine.add(s.regions, &h) }

// settled returns the offset before which nothing can change any more.
func (s *scan) settled() int {
	if s.machine.fragments != nil {
		return min(s.settledWhole(), s.pending)
	}
	return s.settledWhole()
}

// settledWhole is settled for values as a whole.
func (s *scan) settledWhole() int {
	m := s.machine
	settled := s.pos
	if open := m.Open(s.at); open != 0 {
		settled -= m.Len(open)
	} else {
		settled -= m.Begun(s.tail[:min(s.pos, len(s.tail))])
	}
	if s.open {
		settled = min(settled, s.word.start)
	}
	if s.folded.on {
		settled = min(settled, s.pos-s.folded.span(m.Len(m.Open(s.folded.at))))
	}
	if s.runs != 0 {
		settled = min(settled, s.runEnd) // what follows, a line break, may become part of the region or not
	}
	return settled
}

// final reports whether region i can't grow any more, given what is settled.
func (s *scan) final(i, settled int) bool {
	growing := s.runs != 0 && s.regions[i].end >= s.runEnd
	return s.regions[i].end <= settled && !growing
}

// end settles everything: no byte follows.
func (s *scan) end() {
	if s.open {
		s.hit(s.word)
	}
	if s.runs != 0 && s.crossed && s.matched > 0 && s.matched < minCrossed {
		s.hit(region{start: s.runEnd - 1, end: s.pos, form: none, by: s.runBy, quiet: none})
	}
	s.open, s.runs, s.at, s.folded.on = false, 0, 0, false
	s.active, s.pending = nil, s.pos
}

// endCut settles everything where more would have followed: what may begin a secret is taken for
// one.
func (s *scan) endCut() {
	if start := s.settledWhole(); s.pos-start >= minValue {
		s.hit(region{start: start, end: s.pos, form: none, by: s.machine.formAt(s.machine.Open(s.at)), quiet: several})
	}
	s.end()
}
