package shares

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestNobodyHasAllShares: one name leaves half to others, however they come and go.
func TestNobodyHasAllShares(t *testing.T) {
	s := New(8)
	take := func(name string) (n int) {
		for s.Enter(name) {
			n++
		}
		return n
	}
	if a, b, c := take("a"), take("b"), take("c"); a != 4 || b != 2 || c != 1 {
		t.Errorf("%d, %d and %d", a, b, c)
	}
	s.Leave("a")
	if s.Enter("a") || !s.Enter("d") {
		t.Error("what is given back goes to who has most")
	}
	for name, n := range map[string]int{"a": 3, "b": 2, "c": 1, "d": 1} {
		for range n {
			s.Leave(name)
		}
	}
	if s.all != 0 || len(s.by) != 0 {
		t.Errorf("%d places are left: %v", s.all, s.by)
	}
}

// TestTurns: a hundred callers of one name don't delay another, and their number is bounded.
func TestTurns(t *testing.T) {
	full := errors.New("full")
	turns := NewTurns(4, New(16), full)
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, context.DeadlineExceeded)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	refused, had := 0, 0
	hold := make(chan struct{})
	for range 100 {
		all.Go(func() {
			err := turns.Take(ctx, "many")
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused++
				return
			}
			had++
			all.Go(func() { <-hold; turns.Give("many") })
		})
	}
	for asked := 0; asked < 92; time.Sleep(time.Millisecond) { // all but those that wait
		mu.Lock()
		asked = had + refused
		mu.Unlock()
	}
	if err := turns.Take(ctx, "one"); err != nil {
		t.Error(err)
	}
	turns.Give("one")
	gone, leave := context.WithCancel(ctx)
	leave()
	if err := turns.Take(gone, "many"); !errors.Is(err, context.Canceled) && !errors.Is(err, full) {
		t.Error(err)
	}
	close(hold)
	all.Wait()
	if had != 10 || refused != 90 || turns.Taken() != 0 || turns.waiting.Taken() != 0 {
		t.Errorf("%d had a turn, %d were refused, %d and %d are left", had, refused, turns.Taken(),
			turns.waiting.Taken())
	}
}

// TestTurnsOfTwoBusyNames: a third name waits only for present holders, however busy two others
// are. Before, the quickest got the place.
func TestTurnsOfTwoBusyNames(t *testing.T) {
	turns := NewTurns(2, New(64), errors.New("full"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	done := make(chan struct{})
	defer close(done)
	var had atomic.Int64
	for i := range 32 {
		all.Go(func() {
			name := string('a' + rune(i%2))
			for {
				select {
				case <-done:
					return
				default:
				}
				if turns.Take(ctx, name) == nil {
					had.Add(1)
					time.Sleep(time.Millisecond)
					turns.Give(name)
				}
			}
		})
	}
	for turns.waiting.Taken() < 16 {
		time.Sleep(time.Millisecond)
	}
	var others []int64 // that came first, each time
	for range 51 {
		before := had.Load()
		if err := turns.Take(ctx, "c"); err != nil {
			t.Fatal(err)
		}
		others = append(others, had.Load()-before)
		turns.Give("c")
	}
	slices.Sort(others)
	// two that have places, two before it in the line, and what is counted between two of this test's
	// lines
	if median := others[len(others)/2]; median > 8 {
		t.Errorf("%d turns of others came first: %v", median, others)
	}
}

// TestTurnThatComesTooLate: a waiter that leaves at its turn passes it on.
func TestTurnThatComesTooLate(t *testing.T) {
	turns := NewTurns(2, New(64), errors.New("full"))
	for range 2000 {
		if err := turns.Take(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		came := make(chan error)
		go func() { came <- turns.Take(ctx, "a") }()
		for turns.waiting.Taken() == 0 {
			runtime.Gosched()
		}
		go leave()
		turns.Give("a")
		if <-came == nil {
			turns.Give("a")
		}
		leave()
	}
	if turns.Taken() != 0 || turns.waiting.Taken() != 0 || len(turns.line) != 0 {
		t.Errorf("left: %d turns, %d waiting, %d names", turns.Taken(), turns.waiting.Taken(), len(turns.line))
	}
}
