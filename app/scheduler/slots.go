package scheduler

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
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

// Held reports whether the execution may run now.
func (s *Slot) Held() bool {
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

// OthersFree reports whether another slot is free.
func (s *Slot) OthersFree() bool { return s.s.FreeSlots() > 0 }

// FreeSlots returns how many executions could begin now.
func (s *Scheduler) FreeSlots() int { return s.slots.freeCount() }

// boxPatience is how long an execution keeps its slot while it waits for a box. It exceeds a
// healthy host's start time: slots bound the processor load of starting boxes.
const boxPatience = time.Second

// counts counts executions by a key. It is safe for concurrent use. The zero value is ready.
type counts[K comparable] struct {
	mu sync.Mutex
	by map[K]int
}

// add adds n to the count of k, and returns it.
func (c *counts[K]) add(k K, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[K]int{}
	}
	n += c.by[k]
	if c.by[k] = n; n == 0 {
		delete(c.by, k)
	}
	return n
}

func (c *counts[K]) of(k K) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by[k]
}

func (c *counts[K]) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.by {
		n += one
	}
	return n
}

// atLeast returns the keys with at least this count.
func (c *counts[K]) atLeast(least int) (list []K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range c.by {
		if n >= least {
			list = append(list, k)
		}
	}
	return list
}

// maxEnds is how many unfinished ends stop further claims of a profile. Each keeps its output and
// files.
const maxEnds = 8

// BeginEnd counts a script that has ended but is not stored yet.
func (s *Slot) BeginEnd() { s.s.ends.add(s.profile, 1) }

// FinishEnd undoes BeginEnd.
func (s *Slot) FinishEnd() {
	if s.s.ends.add(s.profile, -1) == maxEnds-1 {
		s.s.Wake() // for those of the profile that were not claimed
	}
}

// isSaturated reports whether too many executions wait for p's class of boxes. Claimed ones can
// still join, so at most twice as many as slots wait.
func (s *Scheduler) isSaturated(p app.Placement) bool {
	c, ok := s.cfg.Sandboxes.ClassOf(p)
	return ok && s.yields.of(c) >= s.cfg.Workers
}

// Opening returns how many executions wait for a box without a slot.
func (s *Scheduler) Opening() int { return s.yields.total() }

// Patience returns how long to wait for a box of the class before Yield. It is 0 if others of the
// class have yielded and still wait.
func (s *Slot) Patience(c sandbox.Class) time.Duration {
	if !s.Held() || s.s.yields.of(c) > 0 {
		return 0
	}
	return boxPatience
}

// Yield gives the slot away while the execution waits for a box. It counts as waiting until
// EndYield, also between tries.
func (s *Slot) Yield(c sandbox.Class) {
	if !s.Held() {
		return
	}
	s.s.yields.add(c, 1)
	s.yieldedFor = c
	s.Release()
}

// EndYield ends the wait: the execution has a box and a slot, or never will.
func (s *Slot) EndYield() {
	if s.yieldedFor == (sandbox.Class{}) {
		return
	}
	s.s.yields.add(s.yieldedFor, -1)
	s.yieldedFor = sandbox.Class{}
	s.s.Wake() // for those of the class that were not claimed
}
