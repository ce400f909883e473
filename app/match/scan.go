package match

import "slices"

// ring exceeds the longest escape: readings end at most so far ahead.
const ring = 16

// maxPassed bounds skipped bytes between two characters.
const maxPassed = 12

// maxStates bounds the nodes followed at one place. Only repetitive patterns reach it.
const maxStates = 64

type state struct {
	node node
	end  int // of the last character
}

// escape is an escape begun at start, after a state, whose lead was read.
type escape struct {
	state
	start int
	lead  byte
}

// place holds the automaton's states at one place. Empty stands for the first state: a match may
// begin anywhere.
type place struct {
	states  []state
	escapes []escape
}

// scratch is pooled memory of one search.
type scratch struct {
	matches  []Match
	passed   int                // bytes that were read, however often
	shortest int                // length of the shortest text that is looked for
	open     bool               // what is begun at the end of the text is looked for, too
	atEnd    [maxDepth + 1]bool // by depth: the end of the view is that of the text
	seeds    []seed             // that were found in the last row
	ending   []node             // that were reached at the end of the last row
	places   [ring]place        // modulo ring
	far      place              // beyond those, behind what indents a line
	farAt    int                // where that is
	last     int                // the last place that is reached
	readings readings
	rests    [ring][]int // by place, in locate
	indexes  [maxDepth + 1]index
	runs     [maxDepth]run
	decoded  [maxDepth][]byte
	shifted  []byte               // a run's characters behind missing ones
	small    [maxDepth + 1][]byte // a text with small letters for capitals
}

// isExhausted reports whether a window's budget of work is used up.
func (s *scratch) isExhausted() bool { return s.passed > maxPasses*window }

// scan adds a row's matches, plain or escaped.
func (f *Finder) scan(s *scratch, data []byte, row row, v view) {
	first := len(s.matches)
	x := f.index(s, data, row, v)
	text := data[row.start:row.end]
	if !s.open || f.tail.length > 0 {
		f.scanRow(s, text, x.uses[row.start-x.from:row.end-x.from])
		f.addParts(s, text, first)
	}
	for i := range s.matches[first:] {
		s.matches[first+i].Start += row.start
		s.matches[first+i].End += row.start
	}
	if row.escapes && v.depth < maxDepth {
		f.findUnescaped(s, data, row, v)
	}
}

// scanRow adds the matches in a row of bytes that can make one.
func (f *Finder) scanRow(s *scratch, data []byte, uses []use) {
	first := len(s.matches)
	s.last, s.farAt, s.far.states, s.ending, s.seeds = -1, -1, s.far.states[:0], s.ending[:0], s.seeds[:0]
	s.passed += len(data)
	for at := 0; at < len(data) && !s.isExhausted(); {
		if s.last < at {
			if at = f.next(data, uses, at); at == len(data) {
				return
			}
		}
		if at == s.farAt {
			p := &s.places[at%ring]
			p.states, s.far.states, s.farAt = s.far.states, p.states[:0], -1
		}
		if p := &s.places[at%ring]; s.last <= at && len(p.states) <= 1 && len(p.escapes) == 0 && uses[at]&goesOn == 0 {
			at = f.run(s, data, uses, at, first)
			continue
		}
		f.follow(s, data, uses[at], at, first)
		at++
	}
	if s.isExhausted() {
		for i := range s.places {
			s.places[i].states, s.places[i].escapes = s.places[i].states[:0], s.places[i].escapes[:0]
		}
		return
	}
	end := &s.places[len(data)%ring]
	for _, p := range []*place{end, &s.far} {
		for _, state := range p.states {
			s.ending = append(s.ending, state.node)
		}
	}
	end.states, end.escapes = end.states[:0], end.escapes[:0]
}

// next returns the first place from at on where a match may begin. There an escape begins, or two
// bytes of a text.
func (f *Finder) next(data []byte, uses []use, at int) int {
	for ; at < len(data)-1; at++ {
		if uses[at]&begins != 0 || f.uses[data[at]]&begins != 0 && (f.starts.has(data[at], data[at+1]) || uses[at+1] != 0) {
			return at
		}
	}
	for at < len(data) && (f.uses[data[at]]|uses[at])&begins == 0 {
		at++
	}
	return at
}

func passes(lead byte) bool { return lead == 0 || isLineBreak(lead) || lead == '<' }

// run follows a single reading up to an escape or a dead end, and returns the place.
func (f *Finder) run(s *scratch, data []byte, uses []use, at, first int) int {
	node := node(0)
	if here := &s.places[at%ring]; len(here.states) > 0 {
		node = here.states[0].node
		here.states = here.states[:0]
	}
	for at < len(data) && uses[at]&goesOn == 0 {
		short := int(node) < len(f.automaton.rows) // no text ends with the next byte
		node = f.automaton.step(node, data[at])
		at++
		if node == 0 {
			return at
		}
		if short {
			continue
		}
		if e := f.automaton.entries[node]; e != none {
			f.addMatches(s, data, at, e, first)
		}
	}
	s.reach(at, state{node, at})
	return at
}

// follow continues from a place in all readings.
func (f *Finder) follow(s *scratch, data []byte, uses use, at, first int) {
	f.readEscapes(s, data, at, first)
	here := &s.places[at%ring]
	s.passed += len(here.states)
	for _, from := range here.states {
		f.walk(s, data, from.node, data[at:at+1], at+1, first)
		if uses&goesOn != 0 {
			s.begin(escape{from, at, data[at]}, at+1)
		}
	}
	if len(here.states) == 0 {
		f.walk(s, data, 0, data[at:at+1], at+1, first)
		if uses&begins != 0 {
			s.begin(escape{state{}, at, data[at]}, at+1)
		}
	}
	here.states = here.states[:0]
}

func (f *Finder) readEscapes(s *scratch, data []byte, at, first int) {
	here := &s.places[at%ring]
	s.passed += len(here.escapes)
	for i, e := range here.escapes {
		if i == 0 || e.lead != here.escapes[i-1].lead {
			s.readings.size = 0
			s.readings.readEscape(e.lead, data[at:], 0)
		}
		for j := range s.readings.all() {
			r := &s.readings.list[j]
			end, before := at+int(r.n), e.state
			if isLineBreak(e.lead) { // what indents a line doesn't count
				before.end += int(r.n)
			} else if end > e.start+maxEscape {
				continue
			}
			if r.size > 0 {
				f.walk(s, data, e.node, r.bytes(), end, first)
			} else if e.node > 0 && end <= before.end+maxPassed {
				s.reach(end, before)
			}
			if lead, ok := r.lead(); ok && mayFollow(data, end, lead) &&
				(e.node > 0 || data[end-1] != lead && !passes(lead)) {
				s.begin(escape{e.state, e.start, lead}, end)
			}
		}
		if isLineBreak(e.lead) && e.node > 0 && at <= e.end+maxPassed {
			f.reachFar(s, data, e.state, at, first)
		}
	}
	here.escapes = here.escapes[:0]
}

func (f *Finder) walk(s *scratch, data []byte, node node, text []byte, end, first int) {
	for _, c := range text {
		node = f.automaton.step(node, c)
	}
	if node == 0 {
		return
	}
	s.reach(end, state{node, end})
	if e := f.automaton.entries[node]; e != none {
		f.addMatches(s, data, end, e, first)
	}
}

// reach adds a state to a place.
func (s *scratch) reach(at int, new state) {
	s.last = max(s.last, at)
	p := &s.places[at%ring]
	if at == s.farAt {
		p = &s.far
	}
	for i, old := range p.states {
		if old.node == new.node {
			p.states[i].end = max(old.end, new.end)
			return
		}
	}
	if len(p.states) < maxStates {
		p.states = append(p.states, new)
	}
}

func (s *scratch) begin(new escape, at int) {
	s.last = max(s.last, at)
	p := &s.places[at%ring]
	for i, old := range p.escapes {
		if old.lead == new.lead && old.node == new.node && (new.node == 0 || old.end == new.end) {
			p.escapes[i].start = max(old.start, new.start)
			return
		}
	}
	if len(p.escapes) < maxStates {
		p.escapes = append(p.escapes, new)
	}
}

// addMatches adds the matches that end here, longest and parts.
func (f *Finder) addMatches(s *scratch, data []byte, end int, longest int32, first int) {
	for head := longest; head != none; head = f.automaton.shorter[head] {
		whole, seeds := false, false
		for i := head; i != none; i = f.entries[i].same {
			switch e := &f.entries[i]; {
			case f.tail.length > 0:
				f.foundTail(s, data, end, e)
				whole = true
			case e.seed:
				seeds = true
			default:
				// A seed that ends with a block may reach beyond it.
				whole = f.addMatch(s, data, end, e, first) && e.block == 0 || whole
			}
		}
		if seeds {
			s.addSeed(seed{head, int32(end)})
		}
		if whole {
			return
		}
	}
}

// addMatch adds a match of a pattern or block in a permitted letter case. Overlaps of one pattern
// become one: a repetitive pattern would have many.
func (f *Finder) addMatch(s *scratch, data []byte, end int, e *entry, first int) bool {
	last := s.lastOf(e, first)
	if last != nil && !e.exact && end < last.End+min(maxEscape, len(e.text)) {
		last.End = max(last.End, end)
		return true
	}
	start := f.locate(s, data, end, e)
	switch {
	case start < 0:
		return false
	case last != nil && start < last.End:
		last.End = max(last.End, end)
	default:
		s.matches = append(s.matches, Match{Start: start, End: end, Pattern: e.pattern, Block: e.block})
	}
	return true
}

// lastOf returns the last match of an entry among the most recent ones.
func (s *scratch) lastOf(e *entry, first int) *Match {
	for i := len(s.matches) - 1; i >= max(first, len(s.matches)-8); i-- {
		if m := &s.matches[i]; m.Pattern == e.pattern && m.Block == e.block && !m.Part {
			return m
		}
	}
	return nil
}

// seed: seeds like an entry end at a place.
type seed struct{ head, end int32 }

func (s *scratch) addSeed(new seed) {
	s.passed++
	if !slices.Contains(s.seeds[max(0, len(s.seeds)-maxAlike):], new) {
		s.seeds = append(s.seeds, new)
	}
}

// addParts adds the parts around a row's seeds, except inside matches of the whole pattern.
func (f *Finder) addParts(s *scratch, data []byte, first int) {
	whole := first
	for _, seed := range s.seeds {
		end := int(seed.end)
		for whole < len(s.matches) && s.matches[whole].End < end {
			whole++
		}
		covered := none
		for i := seed.head; i != none; i = f.entries[i].same {
			e := &f.entries[i]
			if !e.seed || e.pattern == covered {
				continue
			}
			within := func(m Match) bool { // a part may reach from one block into the next
				return m.Pattern == e.pattern && m.Block == 0 && m.Start < end && end <= m.End
			}
			ahead, last := s.matches[whole:min(whole+8, len(s.matches))], s.matches[max(first, len(s.matches)-8):]
			if slices.ContainsFunc(ahead, within) || slices.ContainsFunc(last, within) {
				covered = e.pattern
				continue
			}
			f.addPart(s, data, end, e, first)
		}
	}
}

// addPart adds the part around a seed that ends at a place, if it is long enough.
func (f *Finder) addPart(s *scratch, data []byte, end int, e *entry, first int) {
	start, missing := f.startOf(s, data[:end], end, e.upTo, e.exact)
	length := len(e.upTo) - missing
	if length < len(e.text) {
		return
	}
	end, more := f.endOf(s, data, end, e.after, e.exact)
	if length+more < PartLength {
		return
	}
	if n := len(s.matches); n > first {
		if last := &s.matches[n-1]; last.Part && last.Pattern == e.pattern && last.Start <= start && start <= last.End {
			last.End = max(last.End, end)
			return
		}
	}
	s.matches = append(s.matches, Match{Start: start, End: end, Pattern: e.pattern, Part: true})
}
