package httpx

import "testing"

// TestOneIsEvictedForOne: a request that waits for memory tries again and again, and one eviction
// is enough for it.
func TestOneIsEvictedForOne(t *testing.T) {
	t.Parallel()
	r := NewBudget(300, 0)
	told := 0
	var held []*Reservation
	for range 3 {
		held = append(held, yielding(r.reserve("a", 100), func() { told++ }))
		r.capacity += 100 // each is let in, though the address has more than is free
	}
	r.capacity = 300
	for range 3 {
		if r.reserve("b", 1) != nil {
			t.Fatal("there is room")
		}
	}
	if told != 1 {
		t.Errorf("%d gave way", told)
	}
	held[0].release()
	if r.reserve("b", 150) == nil {
		t.Error("there is none after one has left")
	}
	for range 3 {
		if r.reserve("a", 1) != nil {
			t.Fatal("there is room for one that has more than is free")
		}
	}
	if told != 3 {
		t.Errorf("%d gave way to one who needs all", told)
	}
}

// yielding is a reservation that may be evicted from now on.
func yielding(s *Reservation, evict func()) *Reservation {
	s.allowEviction(evict)
	return s
}

// TestUnbuiltAnswerIsNotEvicted: not a byte of it could have been read yet.
func TestUnbuiltAnswerIsNotEvicted(t *testing.T) {
	t.Parallel()
	r := NewBudget(100, 0)
	told := false
	place := r.reserve("a", 100)
	if r.reserve("b", 1) != nil {
		t.Fatal("there is room")
	}
	place.allowEviction(func() { told = true })
	if told || place.evicted {
		t.Error("it gave way before it could be read")
	}
	if r.reserve("b", 1) != nil || !told {
		t.Error("it does not give way while it is read")
	}
}

// TestCarriedAnswers: of many large answers that go into one, one after the other, only the last is
// held.
func TestCarriedAnswers(t *testing.T) {
	t.Parallel()
	budget := NewBudget(300, 0)
	r := &Reader{carrier: true}
	for range 100 {
		place := budget.reserve("a", 100)
		if place == nil {
			t.Fatal("there is no room")
		}
		r.keep(place)
	}
	if n := budget.Used(); n != 100 {
		t.Errorf("%d bytes are held", n)
	}
	r.Release()
	r.Release()
	if n := budget.Used(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}
