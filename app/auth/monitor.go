package auth

import (
	"context"
	"crypto/subtle"
	"sync"

	"github.com/computclaw/airlock/app"
)

// Monitor returns nil for the admin token, else CodeUnauthorized. It guards metrics and profiles of
// the process, which hold no secret. A spent token counts: monitors ask for years. Wrong ones are
// limited as at Login.
func (s *AdminToken) Monitor(ctx context.Context, address string, token app.Secret) error {
	if n := len(token.Reveal()); n < minToken || n > maxToken || app.IsProfileID(token.Reveal()) {
		return wrongMonitor()
	}
	stored, err := s.readToken(ctx)
	if err != nil {
		return err
	}
	if s.matchesFinder(token, stored) || s.monitors.knows(stored.hash, token) {
		return nil
	}
	if !s.attempts.begin(Origin(address), s.now()) {
		return tooMany()
	}
	if stored.hash == "" || !s.hashes.matches(ctx, token, stored.hash) {
		by := app.Actor{Kind: app.ActorAgent, Address: address}
		if err := s.refusals.record(ctx, by, "admin",
			"Refused a wrong token for /metrics or /debug/pprof."); app.CodeOf(err) != app.CodeUnauthorized {
			return err
		}
		return wrongMonitor()
	}
	s.attempts.refund(Origin(address))
	s.monitors.learn(stored.hash, token)
	return nil
}

func wrongMonitor() error {
	return app.E(app.CodeUnauthorized, "this needs the admin token",
		"Send Authorization: Bearer and the admin token; airlock admin token makes a new one and ends every login.")
}

// monitors remembers the right token, to spare argon2id. It is safe for concurrent use.
type monitors struct {
	mu     sync.Mutex
	hash   string // for which the token was right
	digest []byte // of the token
}

func (m *monitors) knows(hash string, token app.Secret) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hash != "" && m.hash == hash && subtle.ConstantTimeCompare(m.digest, tokenDigest(token)) == 1
}

func (m *monitors) learn(hash string, token app.Secret) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hash, m.digest = hash, tokenDigest(token)
}
