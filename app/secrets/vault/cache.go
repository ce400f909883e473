package vault

import (
	"sync"
	"time"
)

// maxKept bounds how many paths are kept in memory.
const maxKept = 10_000

// cache keeps static secrets briefly. With life 0 it keeps nothing.
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
