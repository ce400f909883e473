package redact

import "sync/atomic"

// fail returns the state of the longest proper suffix, or 0.
func (m *machine) fail(s uint32) uint32 { return uint32(m.link(s)) - 1 }

// output returns what is known when a state is reached, or nil if no needle ends there.
func (m *machine) output(s uint32) *output {
	end := uint32(m.link(s) >> 32)
	if end == 0 {
		return nil
	}
	if known := m.sums[end].Load(); known != nil {
		return known
	}
	return m.sum(end)
}

func (m *machine) link(s uint32) uint64 {
	if link := atomic.LoadUint64(&m.links[s]); link != 0 {
		return link
	}
	return m.findLink(s)
}

// findLink works out the link of a state, and those of the states before it.
func (m *machine) findLink(s uint32) uint64 {
	path := []uint32{s}
	for p := m.parent(s); p != 0 && atomic.LoadUint64(&m.links[p]) == 0; p = m.parent(p) {
		path = append(path, p)
	}
	var link uint64
	for i := len(path) - 1; i >= 0; i-- {
		s := path[i]
		var suffix, end uint32
		if p := m.parent(s); p != 0 {
			suffix = m.step(m.fail(p), byte(m.chars[s]), m.last(s))
		}
		if suffix != 0 {
			end = uint32(m.link(suffix) >> 32)
		}
		if m.chars[s]&ends != 0 {
			end = m.next.get(uint64(s)<<9 | endKey)
		}
		link = uint64(end)<<32 | uint64(suffix+1)
		atomic.StoreUint64(&m.links[s], link)
	}
	return link
}

// parent returns the state without its last byte; 0 if that is shorter than a head.
func (m *machine) parent(s uint32) uint32 {
	if m.depth[s] == headLen {
		return 0
	}
	if m.chars[s-1]&gap != 0 {
		return uint32(m.depth[s-1])
	}
	return s - 1
}

// last returns the last four bytes of a state.
func (m *machine) last(s uint32) uint32 {
	var four uint32
	for n := range headLen {
		four |= uint32(byte(m.chars[s])) << (8 * n)
		p := m.parent(s)
		if p == 0 {
			return four | m.headBytes(s)>>8<<(8*(n+1))
		}
		s = p
	}
	return four
}

// headBytes returns the bytes of a head.
func (m *machine) headBytes(s uint32) uint32 { return uint32(m.depth[s-1]) }

// formAt returns a form that goes on behind a state, or none.
func (m *machine) formAt(s uint32) int32 {
	for ; s != 0 && m.chars[s]&gap == 0; s++ {
		if m.chars[s]&ends != 0 {
			return m.output(s).form
		}
	}
	return none
}

// sum works out what the needles that end at the state of an output and at its suffixes say together.
func (m *machine) sum(at uint32) *output {
	all := m.outputs[at]
	if suffix := m.fail(all.state); suffix != 0 {
		if more := m.output(suffix); more != nil {
			all = combine(all, *more)
		}
	}
	m.sums[at].Store(&all)
	return &all
}
