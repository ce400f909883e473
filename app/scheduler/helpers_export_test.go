package scheduler

import (
	"sync/atomic"
	"testing"
)

// SlotRequests returns how many executions wait to resume and to start.
func (s *Scheduler) SlotRequests() (resuming, starting int) {
	s.slots.mu.Lock()
	defer s.slots.mu.Unlock()
	return len(s.slots.resuming), len(s.slots.starting)
}

// Pending is whether the claim loop will ask the store.
func (s *Scheduler) Pending() *atomic.Bool { return &s.pending }

// SetDraining is Drain without waiting.
func (s *Scheduler) SetDraining() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

// HoldClaims stops claims until release is called.
func (s *Scheduler) HoldClaims(t *testing.T) (release func()) {
	if err := s.claiming.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	return func() { s.claiming.Release(1) }
}
