package access

import (
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
)

// Unreadable says that Vault did not give a credential's value when it was last asked for it.
type Unreadable struct {
	Problem string
	Since   time.Time // the first such time in a row, since this program started
}

// unreadables remembers them by credential. It is safe for concurrent use.
type unreadables struct {
	mu   sync.Mutex
	list map[string]unread
}

type unread struct {
	reference string // that was followed: with another one nothing is known
	Unreadable
}

// Unreadable reports whether a credential's reference led to no value when it was last followed.
func (s *Service) Unreadable(c app.Credential) (Unreadable, bool) {
	s.unreadable.mu.Lock()
	defer s.unreadable.mu.Unlock()
	u, ok := s.unreadable.list[c.ID]
	return u.Unreadable, ok && c.Source == app.SourceVault && u.reference == c.Reference
}

// followed takes note of what came of following a credential's reference; problem is empty if there was a value. Pages are told of a change.
func (s *Service) followed(c app.Credential, problem string) {
	s.unreadable.mu.Lock()
	before, known := s.unreadable.list[c.ID]
	if problem == "" {
		delete(s.unreadable.list, c.ID)
	} else {
		now := unread{c.Reference, Unreadable{problem, s.now()}}
		if known && before.reference == c.Reference {
			now.Since = before.Since
		}
		s.unreadable.list[c.ID] = now
	}
	s.unreadable.mu.Unlock()
	if known != (problem != "") {
		s.cfg.Hub.Publish(live.Credentials)
	}
}
