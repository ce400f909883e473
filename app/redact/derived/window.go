package derived

import (
	"cmp"
	"slices"
)

// Window is a part of a run, in digits. It begins at the alignment that it is for.
type Window struct{ From, To int }

// MergeWindows makes one window of those that overlap, and puts them in order. Compressed data is
// refused up to the end of its run, so of a long run with many heads most is refused again and
// again, and to find where it came from takes as long each time.
func MergeWindows(list []Window) (out []Window) {
	slices.SortFunc(list, func(a, b Window) int { return cmp.Compare(a.From, b.From) })
	for _, w := range list {
		if n := len(out); n > 0 && w.From < out[n-1].To {
			out[n-1].To = max(out[n-1].To, w.To)
		} else {
			out = append(out, w)
		}
	}
	return out
}
