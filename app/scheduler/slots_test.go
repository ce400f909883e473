package scheduler

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		if err := s.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []string
		var mu sync.Mutex
		note := func(name string, acquire func(context.Context) error) {
			if acquire(t.Context()) != nil {
				return
			}
			mu.Lock()
			order = append(order, name)
			mu.Unlock()
			s.release()
		}
		go note("new", s.start)
		synctest.Wait()
		resume := func(ctx context.Context) error { return s.resume(ctx, "a") }
		go note("resumed", resume)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() { gone <- resume(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-gone; err == nil {
			t.Fatal("a slot for somebody who left")
		}
		s.release()
		synctest.Wait()
		if !slices.Equal(order, []string{"resumed", "new"}) {
			t.Errorf("order %v", order)
		}
		if s.free != 1 {
			t.Errorf("%d slots are free", s.free)
		}
	})
}

// TestSlotsTakeTurns: starting alternates with resuming, and profiles take turns to resume.
func TestSlotsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(0)
		var order []string
		claim := func(name string, acquire func() error) {
			go func() {
				if acquire() == nil {
					order = append(order, name) // one at a time: see below
				}
			}()
			synctest.Wait()
		}
		for _, profile := range []string{"a", "a", "a", "a", "c", "b"} {
			claim(profile, func() error { return s.resume(t.Context(), profile) })
		}
		for range 2 {
			claim("start", func() error { return s.start(t.Context()) })
		}
		for range 8 {
			s.release()
			synctest.Wait()
		}
		if want := []string{"a", "start", "b", "start", "c", "a", "a", "a"}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		if s.release(); s.free != 1 {
			t.Errorf("%d slots are free", s.free)
		}
	})
}
