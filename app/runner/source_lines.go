package runner

import (
	"slices"
	"sync"

	"github.com/computclaw/airlock/app"
)

// place is a host and port that a script asked for.
type place struct {
	host string // canonical
	port int    // 0 if it is not known
}

// entry returns the place as a host list has it; without a port it gets the usual ones.
func (p place) entry() app.Host {
	h := app.Host{Name: p.host}
	if p.port > 0 {
		h.Ports = []int{p.port}
	}
	return h
}

// sourceLines are the script's lines that first asked for each place, as the guest claims.
// It is safe for concurrent use.
type sourceLines struct {
	mu      sync.Mutex
	last    int // of the script
	byPlace map[place]int
}

// setLast sets the number of the script's last line.
func (s *sourceLines) setLast(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = n
}

// note keeps the first claim about a place. A line beyond the script's last counts as unknown.
func (s *sourceLines) note(p place, line int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line > s.last {
		line = 0
	}
	if s.byPlace == nil {
		s.byPlace = map[place]int{}
	}
	if _, known := s.byPlace[p]; !known {
		s.byPlace[p] = line
	}
}

// of returns the line that asked for the place; 0 if it is not known.
func (s *sourceLines) of(p place) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line := s.byPlace[p]; line > 0 {
		return line
	}
	first := 0
	for at, line := range s.byPlace { // a resolver doesn't learn ports, and not every client names one
		if at.host == p.host && (p.port == 0 || at.port == 0) && line > 0 && (first == 0 || line < first) {
			first = line
		}
	}
	return first
}

// ports returns the ports at which the host was asked for, sorted.
func (s *sourceLines) ports(host string) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []int
	for at := range s.byPlace {
		if at.host == host && at.port > 0 {
			list = append(list, at.port)
		}
	}
	slices.Sort(list)
	return list
}
