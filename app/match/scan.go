package match

import "bytes"

// ring is more than the longest escape: readings end at most so far ahead.
const ring = 16

// maxPassed is how many bytes in a row are passed over between two characters.
const maxPassed = 12

// maxStates is how many nodes are followed at one place: only a pattern that repeats itself over and over has so many.
const maxStates = 64

// begun is a node that some reading of the text reaches at a place.
type begun struct {
	node   int32
	passed uint8 // bytes passed over since the last character
}

// scratch is what one search needs. It is used again for the next.
type scratch struct {
	matches []Match
	at      [ring][]begun // by place, modulo ring
	units   units
	unitsAt int             // where those were read, -1 for elsewhere
	next    [len(leads)]int // where each lead comes next, if that is not before what was looked at
	lead    int             // where the next escape is that matters; the end if there is none
	runs    [maxLayers]run
	decoded [maxLayers][]byte
}

// scan adds the matches in data, which lies behind depth layers, as it is or escaped.
func (f *Finder) scan(s *scratch, data []byte, depth int) {
	for at := nextRun(data, 0, f.shortest, &f.near, endsEscape); at < len(data); at = nextRun(data, at, f.shortest, &f.near, endsEscape) {
		first, end := len(s.matches), endOfRun(data, at, &f.near, endsEscape)
		f.scanRun(s, data[at:end])
		for i := first; i < len(s.matches); i++ {
			s.matches[i].Start += at
			s.matches[i].End += at
		}
		if depth < maxLayers && f.nested(s, data[at:end]) {
			f.unescaped(s, data, at, end, depth)
		}
		at = end
	}
}

// scanRun adds the matches in a run of bytes of which a match can be made.
func (f *Finder) scanRun(s *scratch, data []byte) {
	first := len(s.matches)
	s.lead, s.unitsAt = -1, -1
	for i := range f.leads {
		s.next[i] = -1
	}
	at, far, slow := 0, 0, 0 // nothing was begun at or after far; each byte before slow is looked at
	for at < len(data) {
		if at >= far && at >= slow {
			if at, slow = f.jump(s, data, at); at >= len(data) {
				break
			}
		}
		if far <= at+1 && len(s.at[at%ring]) <= 1 && !isLead(data[at]) {
			at = f.run(s, data, at, first)
			far = at
			if len(s.at[at%ring]) > 0 {
				far++
			}
			continue
		}
		far = max(far, f.step(s, data, at, first))
		at++
	}
	for i := range s.at {
		s.at[i] = s.at[i][:0]
	}
}

// run follows the one reading there is, up to an escape or the end of what was begun, and returns where it came to.
func (f *Finder) run(s *scratch, data []byte, at, first int) int {
	node := int32(0)
	if here := s.at[at%ring]; len(here) > 0 {
		node = here[0].node
		s.at[at%ring] = here[:0]
	}
	for at < len(data) && !isLead(data[at]) {
		node = f.automaton.next(node, folded[data[at]])
		at++
		if node == 0 {
			return at
		}
		if p := f.automaton.nodes[node].pattern; p != none {
			f.found(s, data, at, int(p), first)
		}
	}
	s.add(at, begun{node: node})
	return at
}

// jump returns the next place at which a match may begin, and how far each byte has to be looked at from there.
func (f *Finder) jump(s *scratch, data []byte, at int) (next, slow int) {
	if s.lead < at {
		s.lead = f.nextLead(s, data, at)
	}
	next = f.jumps.skip(data[:s.lead], at)
	if next+f.jumps.window <= s.lead {
		return next, next + 1
	}
	if s.lead == len(data) {
		return len(data), len(data)
	}
	return max(at, min(next, s.lead)), s.lead + 1
}

// nextLead returns where the next escape is that may stand for a character of a pattern, or between two.
func (f *Finder) nextLead(s *scratch, data []byte, from int) int {
	for {
		at, which := len(data), 0
		for i, b := range f.leads {
			if s.next[i] < from {
				s.next[i] = indexFrom(data, from, b)
			}
			if s.next[i] < at {
				at, which = s.next[i], i
			}
		}
		if at == len(data) || f.matters(s, data, at) {
			return at
		}
		from = at + 1
		for data[at] == 0 && from < len(data) && data[from] == 0 {
			from++
		}
		s.next[which] = indexFrom(data, from, data[at])
	}
}

func indexFrom(data []byte, from int, b byte) int {
	if i := bytes.IndexByte(data[from:], b); i >= 0 {
		return from + i
	}
	return len(data)
}

// matters reports whether a lead begins an escape that can be part of a pattern.
func (f *Finder) matters(s *scratch, data []byte, at int) bool {
	if at+1 == len(data) || !f.plausible(data, at) {
		return false
	}
	s.read(data, at)
	for i := range s.units.all() {
		u := &s.units.list[i]
		if u.size == 0 || f.alphabet[u.text[0]] {
			return true
		}
	}
	return false
}

// plausible is quickly false for most leads that begin no escape.
func (f *Finder) plausible(data []byte, at int) bool {
	next := data[at+1]
	switch data[at] {
	case 0: // binary data has many
		return at > 0 && f.alphabet[data[at-1]]
	case '\r', '\n':
		return (next == ' ' || next == '\t' || next == '\n') && at > 0 && f.alphabet[data[at-1]]
	case '"', '$':
		return next == data[at]
	case '\'':
		return next == '\'' || next == '"' || next == '\\'
	case '=':
		return next == '\n' || next == '\r' || classes[next]&(classHex|classLead) != 0
	case '%':
		return classes[next]&(classHex|classU|classLead) != 0
	case '&':
		return next == '#' || classes[next]&(className|classLead) != 0
	}
	return true
}

// step follows all readings of what begins at a place, and returns the place after the farthest that goes on with a pattern.
func (f *Finder) step(s *scratch, data []byte, at, first int) (far int) {
	here := s.at[at%ring]
	s.at[at%ring] = here[:0] // what is added lies ahead
	far = f.follow(s, data, here, at, 1, data[at:at+1], first)
	if !isLead(data[at]) {
		return far
	}
	s.read(data, at)
	for i := range s.units.all() {
		u := &s.units.list[i]
		if u.size == 0 {
			far = max(far, s.pass(here, at, int(u.n)))
			continue
		}
		far = max(far, f.follow(s, data, here, at, int(u.n), u.bytes(), first))
	}
	return far
}

// read makes units those of an escape at a place, unless they are already.
func (s *scratch) read(data []byte, at int) {
	if s.unitsAt == at {
		return
	}
	s.unitsAt = at
	s.units.read(data[at:min(len(data), at+maxEscape)], true)
}

// pass goes on with what was begun, n bytes later.
func (s *scratch) pass(here []begun, at, n int) (far int) {
	for _, b := range here {
		if int(b.passed)+n <= maxPassed {
			s.add(at+n, begun{b.node, b.passed + uint8(n)})
			far = at + n + 1
		}
	}
	return far
}

// follow reads text, written by n bytes, after what was begun here, and as a beginning.
func (f *Finder) follow(s *scratch, data []byte, here []begun, at, n int, text []byte, first int) (far int) {
	if len(here) == 0 {
		return f.walk(s, data, 0, at, n, text, first)
	}
	for _, b := range here {
		far = max(far, f.walk(s, data, b.node, at, n, text, first))
	}
	return far
}

func (f *Finder) walk(s *scratch, data []byte, node int32, at, n int, text []byte, first int) (far int) {
	for _, c := range text {
		node = f.automaton.next(node, folded[c])
	}
	if node == 0 {
		return 0
	}
	s.add(at+n, begun{node: node})
	if p := f.automaton.nodes[node].pattern; p != none {
		f.found(s, data, at+n, int(p), first)
	}
	return at + n + 1
}

func (s *scratch) add(at int, b begun) {
	list := s.at[at%ring]
	for _, have := range list {
		if have.node == b.node && have.passed <= b.passed {
			return
		}
	}
	if len(list) < maxStates {
		s.at[at%ring] = append(list, b)
	}
}

// found adds a match of which the end is known. Those of one pattern that end one after the other become one.
func (f *Finder) found(s *scratch, data []byte, end, pattern, first int) {
	if f.tail.length > 0 {
		f.foundTail(s, data, end, pattern)
		return
	}
	if n := len(s.matches); n > first {
		if last := &s.matches[n-1]; last.Pattern == pattern && end <= last.End+1 {
			last.End = max(last.End, end)
			return
		}
	}
	s.matches = append(s.matches, Match{Start: f.locate(data, end, f.texts[pattern]), End: end, Pattern: pattern})
}
