package vault

import (
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
)

// maxKept bounds how many paths and references are kept in memory.
const maxKept = 10_000

// cache keeps static secrets for a short time. The zero life keeps nothing.
type cache struct {
	life time.Duration
	now  func() time.Time

	mu   sync.Mutex
	kept map[string]cached
}

type cached struct {
	secret secret
	until  time.Time
}

func newCache(life time.Duration, now func() time.Time) *cache {
	return &cache{life: life, now: now, kept: map[string]cached{}}
}

func (c *cache) get(path string) (secret, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.kept[path]
	if ok && !c.now().Before(k.until) {
		delete(c.kept, path)
		ok = false
	}
	return k.secret, ok
}

func (c *cache) put(path string, s secret) {
	if c.life <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxKept {
		clear(c.kept)
	}
	c.kept[path] = cached{s, c.now().Add(c.life)}
}

// maxSeen is how many values of one reference are remembered.
const maxSeen = 4

// seen remembers values, for masking.
type seen struct {
	mu     sync.Mutex
	values map[app.Reference][]app.Secret // newest first
}

func (s *seen) add(ref app.Reference, values ...app.Secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[app.Reference][]app.Secret{}
	}
	if _, ok := s.values[ref]; !ok && len(s.values) >= maxKept {
		clear(s.values)
	}
	list := slices.Clone(values)
	for _, v := range s.values[ref] {
		if !slices.ContainsFunc(list, v.Equal) && len(list) < maxSeen {
			list = append(list, v)
		}
	}
	s.values[ref] = list
}

func (s *seen) of(ref app.Reference) ([]app.Secret, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, ok := s.values[ref]
	return slices.Clone(list), ok
}
