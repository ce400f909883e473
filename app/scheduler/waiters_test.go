package scheduler

import (
	"testing"
)

// TestPlacesToWait: one profile gets half, and the last place is for one that has none.
func TestPlacesToWait(t *testing.T) {
	t.Parallel()
	w := NewWaiters(8)
	got := map[string]int{}
	for _, profile := range []string{"a", "b", "c", "d"} {
		for {
			_, own, ok := w.Take(profile)
			if !ok {
				if full := w.Taken() == 8; own == full {
					t.Errorf("own %v with %d taken", own, w.Taken())
				}
				break
			}
			got[profile]++
		}
	}
	if got["a"] != 4 || got["b"] != 2 || got["c"] != 1 || got["d"] != 1 {
		t.Errorf("places %v", got)
	}
	single := NewWaiters(1)
	release, _, ok := single.Take("a")
	if !ok {
		t.Fatal("the only place is nobody's")
	}
	release()
	if len(single.profiles) != 0 || single.Taken() != 0 {
		t.Errorf("left over: %+v", single)
	}
}
