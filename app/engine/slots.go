package engine

import (
	"context"
	"slices"
	"sync"
)

// slots hands out the right to run. Whoever resumes goes before whoever starts: a script that has its answer is nearer to
// its end, and its box already takes memory. But not twice in a row while somebody wants to start, and profiles take turns
// to resume: else one whose many executions wait for answers, and get them all at once, would keep everybody else from running. It is safe for concurrent use.
type slots struct {
	mu       sync.Mutex
	free     int
	resuming []claimant
	starting []claimant
	resumed  string // profile of the one that resumed last
	begin    bool   // somebody resumed while another wanted to start, whose turn it is now
}

// claimant waits for a slot, which is its own once ready is closed.
type claimant struct {
	profile string // handle; "" of one that starts, since the queue knows whose turn that is
	ready   chan struct{}
}

func newSlots(n int) *slots { return &slots{free: n} }

// start waits for a slot to begin an execution with.
func (s *slots) start(ctx context.Context) error { return s.acquire(ctx, &s.starting, "") }

// startNow takes a slot if one is free and nobody waits for it.
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

func (s *slots) acquire(ctx context.Context, queue *[]claimant, profile string) error {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	*queue = append(*queue, claimant{profile, mine})
	s.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(*queue, func(c claimant) bool { return c.ready == mine }); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	} else {
		s.pass() // the slot came in the same moment
	}
	return context.Cause(ctx)
}

// release gives a slot back.
func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
}

// spare reports whether a slot is free, so that nobody waits for one.
func (s *slots) spare() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free > 0
}

func (s *slots) pass() {
	switch resume, start := len(s.resuming) > 0, len(s.starting) > 0; {
	case start && (!resume || s.begin):
		s.begin = false
		close(s.starting[0].ready)
		s.starting = slices.Delete(s.starting, 0, 1)
	case resume:
		s.begin = start
		i := s.turn()
		s.resumed = s.resuming[i].profile
		close(s.resuming[i].ready)
		s.resuming = slices.Delete(s.resuming, i, i+1)
	default:
		s.free++
	}
}

// turn is which of those that resume is next: the oldest of the first profile after the one that resumed last, in the order of their handles.
func (s *slots) turn() int {
	next, first := -1, 0
	for i, c := range s.resuming {
		if c.profile < s.resuming[first].profile {
			first = i
		}
		if c.profile > s.resumed && (next < 0 || c.profile < s.resuming[next].profile) {
			next = i
		}
	}
	if next < 0 {
		return first
	}
	return next
}
