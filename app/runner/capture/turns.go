package capture

import (
	"slices"
	"sync"
)

// maxTurns bounds the remembered turns; later output counts as two long ones. A script that
// alternates bytes would cause millions.
const maxTurns = 100_000

// Turns records how two streams take turns. Safe for concurrent use.
type Turns struct {
	mu      sync.Mutex
	lengths []int // by turns, the first stream first
}

// add notes n bytes of the first or the second stream.
func (t *Turns) add(second bool, n int) {
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

// remove takes the last n bytes of a stream back.
func (t *Turns) remove(second bool, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.lengths) - 1; i >= 0 && n > 0; i-- {
		if (i%2 == 1) == second {
			taken := min(n, t.lengths[i])
			t.lengths[i] -= taken
			n -= taken
		}
	}
}

// List returns the lengths of the turns in bytes, the first stream's first.
func (t *Turns) List() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lengths)
}
