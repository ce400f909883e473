package credentials

import (
	"sync"
	"time"

	"github.com/computclaw/airlock/app/dotenv"
)

// Bounds of what is staged.
const (
	stageLife = 15 * time.Minute
	maxStages = 32
)

// staging keeps pasted values between the preview and the decision: in memory only, by session, for
// a quarter of an hour. They must not stand in the page that asks for the decision, and not in the
// store before it was made. It is safe for concurrent use.
type staging struct {
	mu   sync.Mutex
	held map[string]stage // by session
}

type stage struct {
	entries []dotenv.Entry
	timer   *time.Timer
}

// put keeps entries for a session instead of those before. It reports false if too many sessions
// have some.
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

// expire forgets the entries unless others have taken their place.
func (s *staging) expire(session string, entries []dotenv.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.held[session]; len(now.entries) > 0 && &now.entries[0] == &entries[0] {
		delete(s.held, session)
	}
}

// get returns what a session has; nil if nothing.
func (s *staging) get(session string) []dotenv.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[session].entries
}
