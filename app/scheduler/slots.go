package scheduler

import (
	"context"
	"slices"
	"sync"
)

// slots hands out the right to run. It is safe for concurrent use.
//
// Executions that resume go before those that start: a script that has its answer is nearer to its
// end, and its box already takes memory. But never two in a row while another waits to start, and
// profiles take turns to resume. Else a profile whose executions all get their answers at once would
// keep the others from running.
type slots struct {
	mu          sync.Mutex
	free        int
	resuming    []slotRequest
	starting    []slotRequest
	lastResumed string // profile of the one that resumed last
	startIsNext bool   // one resumed while another wanted to start
}

// slotRequest waits for a slot, which it has once ready is closed.
type slotRequest struct {
	profile string // handle; "" of one that starts, since the queue knows whose turn that is
	ready   chan struct{}
}

func newSlots(n int) *slots { return &slots{free: n} }

// start waits for a slot to begin an execution with.
func (s *slots) start(ctx context.Context) error { return s.acquire(ctx, &s.starting, "") }

// startNow takes a slot if one is free.
func (s *slots) startNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == 0 {
		return false
	}
	s.free--
	return true
}

// resume waits for a slot to go on with an execution of the profile.
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

// release gives a slot back.
func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passOnLocked()
}

// freeCount returns how many slots are free. Nobody waits for one unless that is 0.
func (s *slots) freeCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free
}

// passOnLocked gives a slot to the request whose turn it is.
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

// nextToResumeLocked returns the oldest request of the first profile after the one that resumed
// last, in the order of their handles.
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
