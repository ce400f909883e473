package credentials

import (
	"sync"
	"time"

	"github.com/computclaw/airlock/app/dotenv"
)

// stageLife is how long staged values are kept.
const stageLife = 15 * time.Minute

// staging keeps pasted values between preview and decision. It holds them in memory by session,
// since neither page nor store may have them yet. It is safe for concurrent use.
type staging struct{ held sync.Map }

// put replaces a session's entries.
func (s *staging) put(session string, entries []dotenv.Entry) {
	s.held.Store(session, &entries)
	time.AfterFunc(stageLife, func() { s.held.CompareAndDelete(session, &entries) }) // unless they were replaced
}

// get returns a session's entries or nil.
func (s *staging) get(session string) []dotenv.Entry {
	held, ok := s.held.Load(session)
	if !ok {
		return nil
	}
	return *held.(*[]dotenv.Entry) //nolint:forcetypeassert // put stores nothing else
}
