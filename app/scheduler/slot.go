package scheduler

import (
	"context"
	"sync"

	"github.com/computclaw/airlock/app/sandbox"
)

// Slot is one execution's right to run, which it may give away for a while.
//
// It is safe for concurrent use, but for Yield and EndYield, which are for the goroutine that drives the execution.
type Slot struct {
	s          *Scheduler
	profile    string // handle
	yieldedFor sandbox.Class

	mu   sync.Mutex
	held bool
}

func newSlot(s *Scheduler, profile string) *Slot { return &Slot{s: s, profile: profile, held: true} }

// Held reports whether the execution may run now.
func (s *Slot) Held() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Release gives the slot to another execution. It does nothing if the slot is not held.
func (s *Slot) Release() {
	s.mu.Lock()
	held := s.held
	s.held = false
	s.mu.Unlock()
	if held {
		s.s.slots.release()
		s.s.signalFreeSlot()
	}
}

// Resume waits until the execution may run again. It returns ctx's error if that ends first.
func (s *Slot) Resume(ctx context.Context) error {
	if s.Held() {
		return nil
	}
	if err := s.s.slots.resume(ctx, s.profile); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
	return nil
}

// OthersFree reports whether another slot is free, so that nobody waits for this one.
func (s *Slot) OthersFree() bool { return s.s.FreeSlots() > 0 }

// FreeSlots returns how many executions could begin at once.
func (s *Scheduler) FreeSlots() int { return s.slots.freeCount() }
