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

// entry returns the place as a host list entry. Without a port it gets the usual ones.
func (p place) entry() app.Host {
	h := app.Host{Name: p.host}
	if p.port > 0 {
		h.Ports = []int{p.port}
	}
	return h
}

// askedPlaces holds the places that a script asked for, with their first known lines.
//
// They are the guest's word and grant nothing. Safe for concurrent use.
type askedPlaces struct {
	mu    sync.Mutex
	last  int // line of the script
	lines map[place]int
}

// setLast sets the number of the script's last line.
func (a *askedPlaces) setLast(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = n
}

// note keeps a place. A line beyond the script's last counts as unknown.
func (a *askedPlaces) note(p place, line int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if line > a.last {
		line = 0
	}
	if a.lines == nil {
		a.lines = map[place]int{}
	}
	if a.lines[p] == 0 {
		a.lines[p] = line
	}
}

// lineOf returns the line that first asked for the place; 0 if unknown.
//
// Resolvers and some clients don't know ports: then the host's first line counts.
func (a *askedPlaces) lineOf(p place) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if line := a.lines[p]; line > 0 {
		return line
	}
	first := 0
	for at, line := range a.lines {
		if at.host == p.host && (p.port == 0 || at.port == 0) && line > 0 && (first == 0 || line < first) {
			first = line
		}
	}
	return first
}

// ports returns the ports at which the host was asked for, sorted.
func (a *askedPlaces) ports(host string) []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []int
	for at := range a.lines {
		if at.host == host && at.port > 0 {
			list = append(list, at.port)
		}
	}
	slices.Sort(list)
	return list
}
