package derived

import "bytes"

// Context says how many bytes around an undone escape may belong to the same value.
type Context struct {
	Bytes     int
	AtBarrier bool // it ends at a barrier
}

// startBefore returns where the context of a change at from begins, not before end.
func (a Context) startBefore(text []byte, end, from int) int {
	start := max(from-a.Bytes, end)
	if a.AtBarrier {
		start += bytes.LastIndexByte(text[start:from], Barrier) + 1
	}
	return start
}

// endAfter returns where the context of a change that ends at end does so, not after from.
func (a Context) endAfter(text []byte, end, from int) int {
	last := min(end+a.Bytes, from)
	if a.AtBarrier {
		if i := bytes.IndexByte(text[end:last], Barrier); i >= 0 {
			return end + i
		}
	}
	return last
}

// AddContext adds the context behind the last change, at end, and before the next one, at from.
//
// end is 0 if there was no change before.
func (b *Builder) AddContext(text []byte, end, from int, near Context) {
	start := near.startBefore(text, end, from)
	if end > 0 {
		if last := near.endAfter(text, end, from); last < start {
			b.Add(text[end:last], end, last, Exact)
			b.Barrier()
		} else {
			start = end
		}
	}
	b.Add(text[start:from], start, from, Exact)
}

// Finish adds the context behind the last change and returns b; nil if there was no change.
func (b *Builder) Finish(text []byte, end int, near Context) *Builder {
	if end == 0 {
		return nil
	}
	last := near.endAfter(text, end, len(text))
	b.Add(text[end:last], end, last, Exact)
	return b
}
