package scheduler

import (
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/sandbox"
)

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

// CountOpening returns how many executions wait for a box without a slot.
func (s *Scheduler) CountOpening() int { return s.yields.total() }

// Patience returns how long to wait for a box of the class before Yield. It is 0 if others of the
// class have yielded and still wait.
func (s *Slot) Patience(c sandbox.Class) time.Duration {
	if !s.IsHeld() || s.s.yields.of(c) > 0 {
		return 0
	}
	return boxPatience
}

// Yield gives the slot away while the execution waits for a box. It counts as waiting until
// EndYield, also between tries.
func (s *Slot) Yield(c sandbox.Class) {
	if !s.IsHeld() {
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
