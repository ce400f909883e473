// Package shares divides places among names, so that no name takes them all.
package shares

import "sync"

// Shares are places. A name may take as many as it leaves free: one alone gets half. Safe for
// concurrent use.
type Shares struct {
	most int

	mu  sync.Mutex
	all int
	by  map[string]int
}

// New returns places that are all free.
func New(most int) *Shares { return &Shares{most: most, by: map[string]int{}} }

// Enter takes a place, to be returned by Leave, or reports false.
func (s *Shares) Enter(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[name] >= s.most-s.all {
		return false
	}
	s.by[name]++
	s.all++
	return true
}

// Leave gives a place back.
func (s *Shares) Leave(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.by[name]--; s.by[name] == 0 {
		delete(s.by, name)
	}
}

// IsFull reports whether no place is left for any name.
func (s *Shares) IsFull() bool { return s.Taken() >= s.most }

// Taken returns how many places are taken.
func (s *Shares) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}
