package redact

import "bytes"

// around says how much of what surrounds a change may belong to the same value.
type around struct {
	near     int  // bytes
	barriers bool // it ends at a barrier
}

// before returns where what belongs to a change at from begins, not before end.
func (a around) before(text []byte, end, from int) int {
	start := max(from-a.near, end)
	if a.barriers {
		start += bytes.LastIndexByte(text[start:from], barrier) + 1
	}
	return start
}

// behind returns where what belongs to a change that ends at end does so, not after from.
func (a around) behind(text []byte, end, from int) int {
	last := min(end+a.near, from)
	if a.barriers {
		if i := bytes.IndexByte(text[end:last], barrier); i >= 0 {
			return end + i
		}
	}
	return last
}

// nearby adds what is around the end of the last change and before the next one, at from. end is 0 if there was none.
func (b *build) nearby(text []byte, end, from int, near around) {
	start := near.before(text, end, from)
	if end > 0 {
		if last := near.behind(text, end, from); last < start {
			b.add(text[end:last], end, last, exactly)
			b.barrier()
		} else {
			start = end
		}
	}
	b.add(text[start:from], start, from, exactly)
}

// rest adds what is behind the last change; nil if there was none.
func (b *build) rest(text []byte, end int, near around) *build {
	if end == 0 {
		return nil
	}
	last := near.behind(text, end, len(text))
	b.add(text[end:last], end, last, exactly)
	return b
}
