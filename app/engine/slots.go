package engine

import (
	"context"
	"slices"
	"sync"
)

// slots hands out the right to run. Whoever resumes goes before whoever starts: a script that has its answer is nearer to
// its end, and its box already takes memory. It is safe for concurrent use.
type slots struct {
	mu       sync.Mutex
	free     int
	resuming []chan struct{}
	starting []chan struct{}
}

func newSlots(n int) *slots { return &slots{free: n} }

// start waits for a slot to begin an execution with.
func (s *slots) start(ctx context.Context) error { return s.acquire(ctx, &s.starting) }

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

// resume waits for a slot, before everybody who wants to start.
func (s *slots) resume(ctx context.Context) error { return s.acquire(ctx, &s.resuming) }

func (s *slots) acquire(ctx context.Context, queue *[]chan struct{}) error {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	*queue = append(*queue, mine)
	s.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(*queue, mine); i >= 0 {
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

func (s *slots) pass() {
	for _, queue := range []*[]chan struct{}{&s.resuming, &s.starting} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = (*queue)[1:]
			return
		}
	}
	s.free++
}
