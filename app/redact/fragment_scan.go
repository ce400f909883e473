package redact

import (
	"slices"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/decode"
)

// fragment is a piece of a source that a text has up to the byte at hand.
type fragment struct {
	of    *source
	next  int    // offset in the source of the byte that would go on with it
	start int    // offset in the text
	from  int    // where the mask begins: start, or where another fragment does that counts together with this one
	first string // what that one has
	sure  bool   // it counts, however far it goes
}

// ended is the last fragment that may count together with one behind it.
type ended struct {
	of        *source
	next      int    // as in fragment
	from, end int    // offsets in the text
	text      string // with what counts together with it
}

// maxGap is how many bytes other than letters and digits may stand between two fragments that count
// together, as in the middle of what Python's reprlib shortens.
const maxGap = 8

// activate takes note of the fragments that a seed at the end of buf is in.
func (s *scan) activate(seed int32, buf []byte) {
	before := s.active
	for _, o := range s.machine.fragments.origins[seed-1] {
		text, next := o.of.text, o.at+seedLen
		if isActive(before, o.of, next) {
			continue
		}
		n := seedLen
		for n < o.of.least && n < next && n < len(buf) && text[next-n-1] == buf[len(buf)-n-1] {
			n++
		}
		for n > 0 && !utf8.RuneStart(text[next-n]) {
			n--
		}
		g := fragment{of: o.of, next: next, start: s.pos - n, from: s.pos - n}
		if s.follows(g, buf[:len(buf)-n]) {
			g.from, g.first = s.ended.from, s.ended.text
		}
		s.active = append(s.active, g)
	}
}

// isActive reports whether a fragment is among those that grow, or so many of its source that it
// repeats itself.
func isActive(active []fragment, of *source, next int) bool {
	same := 0
	for i := range active {
		if g := &active[i]; g.of == of {
			if same++; g.next == next || same == seedsOfSource {
				return true
			}
		}
	}
	return false
}

// follows reports whether a fragment counts together with the one that ended last, given the text
// before it.
func (s *scan) follows(g fragment, text []byte) bool {
	gap := g.start - s.ended.end
	return s.ended.of == g.of && s.ended.next <= g.next-(s.pos-g.start) &&
		gap >= 0 && gap <= min(maxGap, len(text)) && isGap(text[len(text)-gap:])
}

func isGap(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return decode.WordClass[c] != 0 })
}

// advance lets fragments take the byte before pos.
func (s *scan) advance(b byte) {
	kept := s.active[:0]
	for _, g := range s.active {
		if g.next < len(g.of.text) && g.of.text[g.next] == b {
			g.next++
			kept = append(kept, g)
			continue
		}
		end := s.pos - 1
		text, last := g.text(end), end > s.ended.end || g.from < s.ended.from
		if last && len(text) < len(g.of.text) && atLeast(minFragment, text) {
			s.ended = ended{g.of, g.next, g.from, end, g.first + text}
		}
	}
	s.active = kept
}

// cover masks the fragments that count.
func (s *scan) cover() {
	for i := range s.active {
		g := &s.active[i]
		whole := g.next == len(g.of.text) || utf8.RuneStart(g.of.text[g.next])
		if whole && (g.sure || g.counts(s.pos, s.loose)) {
			g.sure = true
			s.hit(region{start: g.from, end: s.pos, form: none, by: g.of.form, quiet: none})
		}
	}
}

// text returns what a fragment has that ends at an offset of the text.
func (g *fragment) text(end int) string { return g.of.text[g.next-(end-g.start) : g.next] }

// counts reports whether a fragment that ends at pos is long enough, and one of fewer than 16
// characters, in pieces or in joined text, too hard to guess for words.
func (g *fragment) counts(pos int, joined bool) bool {
	text := g.text(pos)
	switch {
	case atLeast(maxFragment, text):
		return !joined || hardToGuess(text)
	case joined:
		return false
	case g.first != "":
		return atLeast(minFragment, text) && hardToGuess(g.first+text)
	}
	return atLeast(g.of.least, text) && hardToGuess(text)
}

func atLeast(n int, text string) bool { return len(text) >= n && utf8.RuneCountInString(text) >= n }

// openFragment returns where what may yet be masked as a fragment begins, given the end of the
// text.
func (s *scan) openFragment(buf []byte) int {
	from := s.pos - s.machine.fragments.open(buf)
	for _, g := range s.active {
		from = min(from, g.from)
	}
	if s.ended.of == nil {
		return from
	}
	if gap := from - s.ended.end; gap > maxGap || gap > 0 && !isGap(buf[s.ended.end-s.base:from-s.base]) {
		s.ended = ended{}
		return from
	}
	return min(from, s.ended.from)
}
