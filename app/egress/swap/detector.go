package swap

import (
	"slices"
	"sync"
)

// detector is a deterministic automaton that finds the prefix in any spelling. State 0 is that in which nothing was begun.
type detector struct {
	spellings []spelling
	next      [][256]uint16
	ends      []int16  // index of the spelling whose prefix ends in this state, or none
	begun     []uint16 // the most bytes that a prefix begun before this state can have
	jumps     jumps
}

const none = -1

// sharedDetector is built once: it knows the shape of placeholders and no secret.
var sharedDetector = sync.OnceValue(func() *detector { return newDetector(spellings()) })

// edge leads from one step of a spelling to another.
type edge struct {
	label byte
	to    int32
}

// steps is the nondeterministic automaton from which the detector is made. Step 0 is the beginning of all spellings.
type steps struct {
	edges [][]edge
	depth []uint16 // the longest way here, in bytes
	ends  []int16
}

func (s *steps) add(depth int) int32 {
	s.edges, s.depth, s.ends = append(s.edges, nil), append(s.depth, uint16(depth)), append(s.ends, none)
	return int32(len(s.edges) - 1)
}

func (s *steps) spell(index int, symbols []alternatives) {
	from := int32(0)
	for _, symbol := range symbols {
		longest := 0
		for _, text := range symbol {
			longest = max(longest, len(text))
		}
		to := s.add(int(s.depth[from]) + longest)
		for _, text := range symbol {
			at := from
			for i := 0; i < len(text)-1; i++ {
				step := s.add(int(s.depth[from]) + i + 1)
				s.edges[at] = append(s.edges[at], edge{text[i], step})
				at = step
			}
			s.edges[at] = append(s.edges[at], edge{text[len(text)-1], to})
		}
		from = to
	}
	s.ends[from] = int16(index)
}

// jumps follows all spellings for as many bytes as the shortest has, which is the plain one.
func (s *steps) jumps() jumps {
	j := newJumps(len(Prefix))
	for at, end := []int32{0}, 1; end < j.window; end++ {
		var next []int32
		for _, step := range at {
			for _, a := range s.edges[step] {
				next = append(next, a.to)
				for _, b := range s.edges[a.to] {
					j.add(a.label, b.label, end)
				}
			}
		}
		slices.Sort(next)
		at = slices.Compact(next)
	}
	return j
}

// newDetector makes each set of steps that can be reached together one state.
func newDetector(all []spelling) *detector {
	s := &steps{}
	s.add(0)
	for i, spelling := range all {
		s.spell(i, spelling.symbols)
	}
	d := &detector{spellings: all, jumps: s.jumps()}
	known := map[string]uint16{}
	var sets [][]int32
	state := func(set []int32) uint16 {
		name := nameOf(set)
		if at, found := known[name]; found {
			return at
		}
		at := uint16(len(sets))
		known[name] = at
		sets = append(sets, set)
		d.enter(s, set)
		return at
	}
	state([]int32{0})
	for at := 0; at < len(sets); at++ {
		targets := map[byte][]int32{}
		for _, step := range sets[at] {
			for _, e := range s.edges[step] {
				targets[e.label] = append(targets[e.label], e.to)
			}
		}
		for label, set := range targets {
			slices.Sort(set)
			to := state(slices.Compact(append([]int32{0}, set...)))
			d.next[at][label] = to
		}
	}
	return d
}

func (d *detector) enter(s *steps, set []int32) {
	end, begun := int16(none), uint16(0)
	for _, step := range set {
		begun = max(begun, s.depth[step])
		if end == none {
			end = s.ends[step]
		}
	}
	d.next, d.ends, d.begun = append(d.next, [256]uint16{}), append(d.ends, end), append(d.begun, begun)
}

func nameOf(set []int32) string {
	name := make([]byte, 0, 4*len(set))
	for _, step := range set {
		name = append(name, byte(step), byte(step>>8), byte(step>>16), byte(step>>24))
	}
	return string(name)
}

// hit is a text with the shape of a placeholder, at data[start:end].
type hit struct {
	token      string // as it would be written plainly
	exact      bool   // it is written plainly
	start, end int    // start is only right if exact
}

// search looks for placeholders in data that grows at its end. Its zero value is ready.
type search struct {
	pos     int // data[:pos] was looked at
	state   uint16
	pending bool // a prefix ends at pos, and what follows is still to be read
}

// next returns the next hit. Without one, more data is needed, unless last says that there is none.
func (s *search) next(data []byte, last bool) (hit, bool) {
	d := sharedDetector()
	for s.pending || s.run(d, data) {
		s.pending = false
		tail, length, state := d.spellings[d.ends[s.state]].tail(data[s.pos:])
		switch {
		case state == unfinished && !last:
			s.pending = true
			return hit{}, false
		case state == complete:
			h := hit{token: Prefix + tail, start: s.pos - len(Prefix), end: s.pos + length}
			h.exact = h.start >= 0 && string(data[h.start:h.end]) == h.token
			return h, true
		}
	}
	return hit{}, false
}

// run looks on until a prefix ends.
func (s *search) run(d *detector, data []byte) bool {
	at, state := s.pos, s.state
	for at < len(data) {
		if state == 0 {
			if at = d.jumps.skip(data, at); at == len(data) {
				break
			}
		}
		state = d.next[state][data[at]]
		at++
		if d.ends[state] != none {
			s.pos, s.state = at, state
			return true
		}
	}
	s.pos, s.state = at, state
	return false
}

// safe returns how much of the data can't be part of a hit to come.
func (s *search) safe() int { return max(0, s.pos-int(sharedDetector().begun[s.state])) }

// drop forgets the first n bytes of the data.
func (s *search) drop(n int) { s.pos -= n }

// hits returns all hits in a text.
func hits(text string) []hit {
	var out []hit
	var s search
	data := []byte(text)
	for h, found := s.next(data, true); found; h, found = s.next(data, true) {
		out = append(out, h)
	}
	return out
}
