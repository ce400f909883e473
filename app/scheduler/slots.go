package scheduler

import (
	"context"
	"slices"
	"sync"

	"github.com/computclaw/airlock/app/sandbox"
)

// slots hands out the right to run. It is safe for concurrent use.
//
// Resuming goes before starting: such a script is nearer its end and already holds memory. But
// never twice in a row while another waits to start, and profiles take turns to resume. Else one
// profile with instant answers would block the others.
type slots struct {
	mu          sync.Mutex
	free        int
	resuming    []slotRequest
	starting    []slotRequest
	lastResumed string // profile of the one that resumed last
	startIsNext bool   // one resumed while another wanted to start
}

// slotRequest waits until ready is closed; then it has a slot.
type slotRequest struct {
	profile string // handle; "" of one that starts, since the queue knows whose turn that is
	ready   chan struct{}
}

func newSlots(n int) *slots { return &slots{free: n} }

func (s *slots) start(ctx context.Context) error { return s.acquire(ctx, &s.starting, "") }

func (s *slots) startNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == 0 {
		return false
	}
	s.free--
	return true
}

// resume waits for a slot to continue an execution of the profile.
func (s *slots) resume(ctx context.Context, profile string) error {
	return s.acquire(ctx, &s.resuming, profile)
}

func (s *slots) acquire(ctx context.Context, queue *[]slotRequest, profile string) error {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	*queue = append(*queue, slotRequest{profile, mine})
	s.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(*queue, func(r slotRequest) bool { return r.ready == mine }); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	} else {
		s.passOnLocked() // the slot came at the same moment
	}
	return context.Cause(ctx)
}

func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passOnLocked()
}

// freeCount returns the number of free slots. Requests wait only at 0.
func (s *slots) freeCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free
}

// passOnLocked gives a slot to the next request.
func (s *slots) passOnLocked() {
	switch resume, start := len(s.resuming) > 0, len(s.starting) > 0; {
	case start && (!resume || s.startIsNext):
		s.startIsNext = false
		close(s.starting[0].ready)
		s.starting = slices.Delete(s.starting, 0, 1)
	case resume:
		s.startIsNext = start
		i := s.nextToResumeLocked()
		s.lastResumed = s.resuming[i].profile
		close(s.resuming[i].ready)
		s.resuming = slices.Delete(s.resuming, i, i+1)
	default:
		s.free++
	}
}

// nextToResumeLocked returns the oldest request of the next profile, by handle.
func (s *slots) nextToResumeLocked() int {
	next, first := -1, 0
	for i, r := range s.resuming {
		if r.profile < s.resuming[first].profile {
			first = i
		}
		if r.profile > s.lastResumed && (next < 0 || r.profile < s.resuming[next].profile) {
			next = i
		}
	}
	if next < 0 {
		return first
	}
	return next
}

// Slot is one execution's right to run.
//
// It is safe for concurrent use, except Yield and EndYield: only the goroutine that drives the
// execution calls them.
type Slot struct {
	s          *Scheduler
	profile    string // handle
	yieldedFor sandbox.Class

	mu   sync.Mutex
	held bool
}

func newSlot(s *Scheduler, profile string) *Slot { return &Slot{s: s, profile: profile, held: true} }

// IsHeld reports whether the execution may run now.
func (s *Slot) IsHeld() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Release gives the slot back, if it is held.
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

// Resume waits until the execution may run again, or returns ctx's error.
func (s *Slot) Resume(ctx context.Context) error {
	if s.IsHeld() {
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

// OthersFree reports whether another slot is free.
func (s *Slot) OthersFree() bool { return s.s.FreeSlots() > 0 }

// FreeSlots returns how many executions could begin now.
func (s *Scheduler) FreeSlots() int { return s.slots.freeCount() }
