package access

import (
	"context"
	"crypto/subtle"
	"sync"

	"github.com/computclaw/airlock/app"
)

// Monitor returns nil if token is the admin token, and CodeUnauthorized otherwise: for what shows how the server does, changes nothing and holds no secret. For that the
// token counts also when it is spent, since a monitor asks every few seconds for years. Wrong ones are limited as at Login, and don't keep the right one out if
// that is long enough (see finder); no profile id is ever right.
func (s *Service) Monitor(ctx context.Context, address string, token app.Secret) error {
	if n := len(token.Reveal()); n < minToken || n > maxToken || app.IsProfileID(token.Reveal()) {
		return wrongMonitor()
	}
	stored, err := s.storedToken(ctx)
	if err != nil {
		return err
	}
	if s.found(token, stored) || s.monitors.knows(stored.hash, token) {
		return nil
	}
	if !s.logins.begin(origin(address), s.now()) {
		return tooMany()
	}
	if stored.hash == "" || !s.matches(ctx, token, stored.hash) {
		by := app.Actor{Kind: app.ActorAgent, Address: address}
		if err := s.refuse(ctx, by, "admin", "Refused a wrong token for /metrics or /debug/pprof."); app.CodeOf(err) != app.CodeUnauthorized {
			return err
		}
		return wrongMonitor()
	}
	s.logins.succeed(origin(address))
	s.monitors.learn(stored.hash, token)
	return nil
}

func wrongMonitor() error {
	return app.E(app.CodeUnauthorized, "this needs the admin token", "Send Authorization: Bearer and the admin token; airlock admin token makes a new one and ends every login.")
}

// monitors remembers the token that was right, as a digest and with the hash that it was right for, so that argon2id is not paid for at every look. It is safe for concurrent use.
type monitors struct {
	mu     sync.Mutex
	hash   string
	digest []byte
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
