package engine

import "sync"

// waiters are the places of executions that wait for an answer, each of which keeps a box in memory. A profile gets another one as long as more are free than it has: alone it
// may take half of them, and there is always one for the next. It is safe for concurrent use.
type waiters struct {
	mu       sync.Mutex
	most     int
	all      int
	profiles map[string]int // by handle
}

func newWaiters(most int) *waiters { return &waiters{most: most, profiles: map[string]int{}} }

// take takes a place. If ok is false there is none, for this profile (own) or for anybody.
func (w *waiters) take(profile string) (release func(), own, ok bool) {
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
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all--
		if w.profiles[profile]--; w.profiles[profile] == 0 {
			delete(w.profiles, profile)
		}
	}, false, true
}

// taken is how many places are taken.
func (w *waiters) taken() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}
