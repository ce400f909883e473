package derived

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOverlaidWindows: windows put together cover what they covered, and no two of them overlap.
func TestOverlaidWindows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var list []Window
		var want, got [60]int
		for range rapid.IntRange(0, 12).Draw(r, "windows") {
			from := rapid.IntRange(0, 50).Draw(r, "from")
			w := Window{from, rapid.IntRange(from+1, min(from+20, 60)).Draw(r, "to")}
			list = append(list, w)
			for i := w.From; i < w.To; i++ {
				want[i] = 1
			}
		}
		out := MergeWindows(slices.Clone(list))
		for _, w := range out {
			for i := w.From; i < w.To; i++ {
				got[i]++
			}
		}
		if got != want {
			r.Fatalf("%v of %v", out, list)
		}
	})
}
