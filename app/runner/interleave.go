package runner

import (
	"slices"
	"sync"
)

// maxTurns bounds the turns that are remembered; later output counts as two long ones. A script that prints a byte
// here and a byte there would have Airlock remember millions.
const maxTurns = 100_000

// interleave records how two streams take turns. It is safe for concurrent use.
type interleave struct {
	mu      sync.Mutex
	lengths []int // by turns, the first stream first
}

// add notes n bytes of the first or the second stream.
func (t *interleave) add(second bool, n int) {
	if n == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.lengths) - 1; last >= 0 && (last%2 == 1) == second {
		t.lengths[last] += n
		return
	}
	if len(t.lengths) >= maxTurns {
		t.lengths[len(t.lengths)-2] += n // the same stream's last turn
		return
	}
	if len(t.lengths) == 0 && second {
		t.lengths = append(t.lengths, 0)
	}
	t.lengths = append(t.lengths, n)
}

func (t *interleave) list() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lengths)
}
