// Package shares divides few places among many who ask, so that nobody has so many that nothing is
// left for others.
package shares

import "sync"

// Shares is a number of places. Everybody may have as many as they leave free, so that one alone
// has half. It is safe for concurrent use.
type Shares struct {
	most int

	mu  sync.Mutex
	all int
	by  map[string]int
}

// New returns places that are all free.
func New(most int) *Shares { return &Shares{most: most, by: map[string]int{}} }

// Enter takes a place; false if there is none for that name. Who has one must Leave.
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

// Taken is how many places are.
func (s *Shares) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}
