package match

import (
	"slices"

	"github.com/computclaw/airlock/app/multimatch"
)

// none stands for no pattern.
const none = -1

// automaton finds folded patterns in bytes that are folded on the way.
type automaton struct {
	*multimatch.Automaton
	patterns []int32 // by state: the longest pattern that ends there, of equal ones the first; or none
	// rows are the transitions of the empty state and of those of one byte, which texts are in most of
	// the time. These have the lowest numbers, with a gap behind each.
	rows  [][256]multimatch.State
	dense multimatch.State // the first state without a row
}

// newAutomaton takes texts of at least two bytes, and the number of each.
func newAutomaton(texts []string, numbers []int32) automaton {
	var heads []string
	seen := [256]bool{}
	for _, text := range texts {
		if !seen[text[0]] {
			seen[text[0]] = true
			heads = append(heads, text[:1])
		}
	}
	m, ends := multimatch.New(1, append(heads, texts...))
	a := automaton{Automaton: m, rows: make([][256]multimatch.State, len(heads)+1)}
	for i := range a.rows {
		s := multimatch.State(max(2*i-1, 0))
		for b, c := range folded {
			a.rows[i][b] = m.Step(s, c, multimatch.Roll(0, c))
		}
		a.dense = s + 1
	}
	byEnd := slices.Repeat([]int32{none}, m.Ends()+1)
	for i, end := range slices.Backward(ends[len(heads):]) {
		byEnd[end] = numbers[i]
	}
	a.patterns = slices.Repeat([]int32{none}, m.States())
	for _, text := range texts {
		s := multimatch.State(0)
		for _, b := range []byte(text) {
			s = a.step(s, b)
			a.patterns[s] = byEnd[m.End(s)]
		}
	}
	return a
}

// step returns the state after one more byte.
func (a *automaton) step(s multimatch.State, b byte) multimatch.State {
	if s < a.dense {
		return a.rows[(s+1)/2][b]
	}
	return a.stepFrom(s, b)
}

// stepFrom is step for a state without a row.
func (a *automaton) stepFrom(s multimatch.State, b byte) multimatch.State {
	for c := folded[b]; s >= a.dense; s = a.Suffix(s) {
		if a.Follows(s, c) {
			return s + 1
		}
		if next := a.Branch(s, c); next != 0 {
			return next
		}
	}
	return a.rows[(s+1)/2][b]
}
