package credentials

import (
	"sync"
	"time"

	"github.com/computclaw/airlock/app/dotenv"
)

// Bounds of staged values.
const (
	stageLife = 15 * time.Minute
	maxStages = 32
)

// staging keeps pasted values between preview and decision. It holds them in memory by session for
// 15 minutes, since neither page nor store may have them yet. It is safe for concurrent use.
type staging struct {
	mu   sync.Mutex
	held map[string]stage // by session
}

type stage struct {
	entries []dotenv.Entry
	timer   *time.Timer
}

// put replaces a session's entries. It returns false if too many sessions have some.
func (s *staging) put(session string, entries []dotenv.Entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]stage{}
	}
	if old, ok := s.held[session]; ok {
		old.timer.Stop()
		delete(s.held, session)
	}
	if len(entries) == 0 {
		return true
	}
	if len(s.held) >= maxStages {
		return false
	}
	timer := time.AfterFunc(stageLife, func() { s.expire(session, entries) })
	s.held[session] = stage{entries, timer}
	return true
}

// expire deletes the entries unless they were replaced.
func (s *staging) expire(session string, entries []dotenv.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.held[session]; len(now.entries) > 0 && &now.entries[0] == &entries[0] {
		delete(s.held, session)
	}
}

// get returns a session's entries or nil.
func (s *staging) get(session string) []dotenv.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[session].entries
}
