package swap

import "bytes"

// table holds, for each value and each mask, what is shown instead.
type table [][masks]string

// replacer replaces the needles of a machine in a stream. Needles that overlap become one, shown as that which begins first, and of
// those the longest.
//
// What it holds back depends on lengths and line ends only, never on how much of a needle was begun: whoever chose the last bytes of a
// piece, and saw whether they come at once, could try out a value byte by byte.
type replacer struct {
	machine *machine
	table   table
	data    []byte // given and not yet passed on
	pos     int    // data[:pos] was looked at
	state   int32
	regions []region // in data, ascending, apart from each other
}

// region is a place to be replaced.
type region struct {
	start, end int
	needle     int32
	shown      bool // what replaces it was passed on already
}

// write appends to out what is known to come next, after one more piece of the stream.
func (r *replacer) write(out, piece []byte) []byte {
	r.data = append(r.data, piece...)
	r.look()
	return r.pass(out, r.settled(len(piece)))
}

// settled returns how much of the data lies before all needles to come: all but the length of one, or what ends with a line if none has a
// line break. The last fresh bytes are new.
func (r *replacer) settled(fresh int) int {
	safe := max(0, len(r.data)-r.machine.longest+1)
	if r.machine.lines {
		return safe
	}
	from := max(safe, len(r.data)-fresh) // no line ended in what was held before
	if i := bytes.LastIndexByte(r.data[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return safe
}

// finish appends to out all that was held back.
func (r *replacer) finish(out []byte) []byte { return r.pass(out, len(r.data)) }

func (r *replacer) look() {
	m, at, state := r.machine, r.pos, r.state
	for at < len(r.data) {
		if state == 0 {
			if at = m.jumps.skip(r.data, at); at == len(r.data) {
				break
			}
		}
		state = m.next(state, r.data[at])
		at++
		if found := m.nodes[state].needle; found != none {
			r.cover(region{start: at - len(m.needles[found].text), end: at, needle: found})
		}
	}
	r.pos, r.state = at, state
}

// cover adds a region that ends after all others.
func (r *replacer) cover(g region) {
	for len(r.regions) > 0 {
		last := r.regions[len(r.regions)-1]
		if last.end <= g.start {
			break
		}
		if last.shown || last.start <= g.start && !(last.start == g.start && g.end > last.end) {
			g.start, g.needle, g.shown = last.start, last.needle, last.shown
		}
		r.regions = r.regions[:len(r.regions)-1]
	}
	r.regions = append(r.regions, g)
}

// pass appends to out the first safe bytes, in which no needle can begin any more.
func (r *replacer) pass(out []byte, safe int) []byte {
	from, done := 0, 0
	for done < len(r.regions) {
		g := &r.regions[done]
		if g.start >= safe && !g.shown {
			break
		}
		if !g.shown {
			out = append(out, r.data[from:g.start]...)
			n := r.machine.needles[g.needle]
			out = append(out, r.table[n.owner][n.mask]...)
			g.shown = true
		}
		from = min(g.end, safe)
		if g.end > safe {
			g.start = safe
			break
		}
		done++
	}
	out = append(out, r.data[from:safe]...)
	r.drop(safe, done)
	return out
}

// drop forgets the first n bytes and regions.
func (r *replacer) drop(n, regions int) {
	if n < len(r.data)/2 { // or small pieces would have a long rest copied again and again
		r.data = r.data[n:]
	} else {
		r.data = r.data[:copy(r.data, r.data[n:])]
	}
	r.pos -= n
	r.regions = r.regions[:copy(r.regions, r.regions[regions:])]
	for i := range r.regions {
		r.regions[i].start -= n
		r.regions[i].end -= n
	}
}
