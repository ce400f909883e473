package web

import "testing"

// TestOneGivesWayForOne: who waits for room asks again and again, and each time somebody would give way, though the first is enough.
func TestOneGivesWayForOne(t *testing.T) {
	r := &room{most: 300}
	told := 0
	var held []*stay
	for range 3 {
		held = append(held, yielding(r.enter("a", 100), func() { told++ }))
		r.most += 100 // each is let in, though the address has more than is free
	}
	r.most = 300
	for range 3 {
		if r.enter("b", 1) != nil {
			t.Fatal("there is room")
		}
	}
	if told != 1 {
		t.Errorf("%d gave way", told)
	}
	held[0].leave()
	if r.enter("b", 150) == nil {
		t.Error("there is none after one has left")
	}
	for range 3 {
		if r.enter("a", 1) != nil {
			t.Fatal("there is room for one that has more than is free")
		}
	}
	if told != 3 {
		t.Errorf("%d gave way to one who needs all", told)
	}
}

// yielding is a stay that gives way from now on.
func yielding(s *stay, giveWay func()) *stay {
	s.yield(giveWay)
	return s
}

// TestBuiltAnswerHasItsTenure: who has room, and an answer that isn't built yet, gives way to nobody: not a byte of it could have been read.
func TestBuiltAnswerHasItsTenure(t *testing.T) {
	r := &room{most: 100}
	told := false
	place := r.enter("a", 100)
	if r.enter("b", 1) != nil {
		t.Fatal("there is room")
	}
	place.yield(func() { told = true })
	if told || place.gone {
		t.Error("it gave way before it could be read")
	}
	if r.enter("b", 1) != nil || !told {
		t.Error("it does not give way while it is read")
	}
}

// TestAnswersWithinAnother: of many large answers that go into one, one after the other, the last alone is held.
func TestAnswersWithinAnother(t *testing.T) {
	room := &room{most: 300}
	r := &reader{outer: true}
	for range 100 {
		place := room.enter("a", 100)
		if place == nil {
			t.Fatal("there is no room")
		}
		r.done(place)
	}
	if n := room.taken(); n != 100 {
		t.Errorf("%d bytes are held", n)
	}
	r.leave()
	r.leave()
	if n := room.taken(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}
