package scheduler

import "sync"

// Waiters bounds the executions that wait for an answer, each of which keeps a box in memory.
//
// A profile gets another place as long as more are free than it has: alone it may take half of
// them, and there is always one for the next. It is safe for concurrent use.
type Waiters struct {
	most int

	mu       sync.Mutex
	all      int
	profiles map[string]int // by handle
}

// NewWaiters returns most free places.
func NewWaiters(most int) *Waiters { return &Waiters{most: most, profiles: map[string]int{}} }

// Take takes a place. If ok is false there is none, for this profile (own) or for anybody.
func (w *Waiters) Take(profile string) (release func(), own, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch free := w.most - w.all; {
	case free <= 0:
		return nil, false, false
	case w.profiles[profile] >= free:
		return nil, true, false
	}
	w.all++
	w.profiles[profile]++
	return func() { w.release(profile) }, false, true
}

func (w *Waiters) release(profile string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.profiles[profile]--; w.profiles[profile] == 0 {
		delete(w.profiles, profile)
	}
}

// Taken returns how many places are taken.
func (w *Waiters) Taken() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}
