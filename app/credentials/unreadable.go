package credentials

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
)

// Unreadable says why Vault last failed to give a credential's value.
type Unreadable struct {
	Problem string
	Since   time.Time // first failure in a row, since the program started
}

type unread struct {
	reference string // with another one nothing is known
	Unreadable
}

// Unreadable reports whether a credential's reference last led to no value.
func (s *Vault) Unreadable(c app.Credential) (Unreadable, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.unreadable[c.ID]
	return u.Unreadable, ok && c.Source == app.SourceVault && u.reference == c.Reference
}

// noteFollowed notes whether a credential's reference led to a value. problem is "" if so.
func (s *Vault) noteFollowed(c app.Credential, problem string) {
	s.mu.Lock()
	before, known := s.unreadable[c.ID]
	if problem == "" {
		delete(s.unreadable, c.ID)
	} else {
		now := unread{c.Reference, Unreadable{problem, s.now()}}
		if known && before.reference == c.Reference {
			now.Since = before.Since
		}
		s.unreadable[c.ID] = now
	}
	s.mu.Unlock()
	if known != (problem != "") {
		s.hub.Publish(live.Credentials)
	}
}
