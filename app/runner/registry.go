package runner

import (
	"maps"
	"slices"
	"sync"
)

// registry holds the live executions, each from its claim until its row is terminal.
type registry struct {
	mu          sync.Mutex
	live        map[string]*Run // by handle
	interrupted bool
}

// add makes an execution live. After interrupt it is stopped at once.
func (g *registry) add(r *Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live[r.x.Handle] = r
	if g.interrupted {
		r.Stop(stopInterrupted())
	}
}

func (g *registry) remove(r *Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.live, r.x.Handle)
}

func (g *registry) get(handle string) *Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.live[handle]
}

func (g *registry) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.live)
}

func (g *registry) all() []*Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.live))
}

func (g *registry) byProfile() map[string][]*Run {
	profiles := map[string][]*Run{}
	for _, r := range g.all() {
		profiles[r.x.ProfileHandle] = append(profiles[r.x.ProfileHandle], r)
	}
	return profiles
}

// interrupt stops all executions, also those that are added later.
func (g *registry) interrupt() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.interrupted = true
	for _, r := range g.live {
		r.Stop(stopInterrupted())
	}
}
