package docker

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// Times between looks at a box's usage. Usage since the last look is lost with the container.
const (
	lookFirst = 20 * time.Millisecond // after the start, then doubled
	lookNear  = time.Second           // at last, on this host
	lookFar   = 10 * time.Second      // at last, through the engine
	lookTime  = 2 * time.Second       // how long one may take
	maxStats  = 1 << 20               // bytes of an answer
)

type usage struct {
	peak int64 // bytes; where the kernel keeps no mark of it, the highest that was seen
	cpu  time.Duration
	full bool // as many processes as it may have
	held bool // by its limit on processor time, at least once
	oom  bool // memory ran out, and the kernel ended a process of it or found none; only counters on this host tell
}

type meter struct {
	engine    *engine
	container string
	pids      int64

	oom chan struct{} // closed once memory ran out, as this host's counters tell

	mu   sync.Mutex
	seen usage
	near *localCgroups // nil if the counters are only to be had from the engine
}

func newMeter(e *engine, name string, pids int64) *meter {
	return &meter{engine: e, container: name, pids: pids, oom: make(chan struct{})}
}

// approach finds the counters on this host.
func (m *meter) approach(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	found, err := m.engine.api.ContainerInspect(ctx, m.container, client.ContainerInspectOptions{})
	if err != nil || found.Container.State == nil {
		return
	}
	near := findLocalCgroups(found.Container.State.Pid, found.Container.ID)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.near = near
}

func (m *meter) watch(ctx context.Context) {
	m.approach(ctx)
	last := lookFar
	if m.isNear() {
		last = lookNear
	}
	for wait := lookFirst; ; wait = min(2*wait, last) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			m.look(ctx)
		}
	}
}

// look reads the counters once. A box that has ended has none.
func (m *meter) look(ctx context.Context) {
	if m.isNear() {
		m.now()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	answer, err := m.engine.api.ContainerStats(ctx, m.container, client.ContainerStatsOptions{})
	if err != nil {
		return
	}
	defer answer.Body.Close()
	var s container.StatsResponse
	if json.NewDecoder(io.LimitReader(answer.Body, maxStats)).Decode(&s) != nil {
		return
	}
	m.note(usage{
		peak: max(int64(s.MemoryStats.Usage), int64(s.MemoryStats.MaxUsage)),
		cpu:  time.Duration(s.CPUStats.CPUUsage.TotalUsage),
		// A fork that is being refused takes a place for a moment.
		full: int64(s.PidsStats.Current) >= m.pids-1,
		held: s.CPUStats.ThrottlingData.ThrottledPeriods > 0,
	})
}

func (m *meter) isNear() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.near != nil
}

// now reads this host's counters and returns the usage so far. Some counters show only the moment.
// ok is false if they aren't here or are gone.
func (m *meter) now() (u usage, ok bool) {
	m.mu.Lock()
	near := m.near
	m.mu.Unlock()
	if near == nil {
		return u, false
	}
	if u, ok = near.usage(); !ok {
		return usage{}, false
	}
	m.note(u)
	return m.usage(), true
}

func (m *meter) note(u usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if u.oom && !m.seen.oom {
		close(m.oom)
	}
	m.seen = usage{max(m.seen.peak, u.peak), max(m.seen.cpu, u.cpu), m.seen.full || u.full, m.seen.held || u.held,
		m.seen.oom || u.oom}
}

func (m *meter) usage() usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen
}
