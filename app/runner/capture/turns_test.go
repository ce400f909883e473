package capture

import (
	"slices"
	"testing"
)

func TestTurnsOfTwoStreams(t *testing.T) {
	t.Parallel()
	var one Pair
	for _, add := range []struct {
		second bool
		n      int
	}{{true, 3}, {true, 2}, {false, 1}, {false, 0}, {true, 4}} {
		one.addTurn(add.second, add.n)
	}
	if want := []int{0, 5, 1, 4}; !slices.Equal(one.turns, want) {
		t.Errorf("%v, want %v", one.turns, want)
	}
}

// A script that alternated single bytes made Airlock remember millions of turns.
func TestTurnsAreBounded(t *testing.T) {
	t.Parallel()
	var many Pair
	sums := [2]int{}
	for i := range 3*maxTurns + 1 {
		many.addTurn(i%2 == 1, 1+i%3)
		sums[i%2] += 1 + i%3
	}
	if n := len(many.turns); n > maxTurns {
		t.Errorf("%d turns are remembered", n)
	}
	for i, n := range many.turns {
		sums[i%2] -= n
	}
	if sums != [2]int{} {
		t.Errorf("bytes of the streams are missing: %v", sums)
	}
}
