package capture

import "slices"

// maxTurns bounds the remembered turns; later output counts as two long ones. A script that
// alternates bytes would cause millions.
const maxTurns = 100_000

// addTurn notes n bytes of the first or the second stream.
func (p *Pair) addTurn(second bool, n int) {
	if n == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.turns) - 1; last >= 0 && (last%2 == 1) == second {
		p.turns[last] += n
		return
	}
	if len(p.turns) >= maxTurns {
		p.turns[len(p.turns)-2] += n // the same stream's last turn
		return
	}
	if len(p.turns) == 0 && second {
		p.turns = append(p.turns, 0)
	}
	p.turns = append(p.turns, n)
}

// removeTurn takes the last n bytes of a stream back.
func (p *Pair) removeTurn(second bool, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.turns) - 1; i >= 0 && n > 0; i-- {
		if (i%2 == 1) == second {
			taken := min(n, p.turns[i])
			p.turns[i] -= taken
			n -= taken
		}
	}
}

// Turns returns the lengths of the turns in bytes, the first stream's first.
func (p *Pair) Turns() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.turns)
}
