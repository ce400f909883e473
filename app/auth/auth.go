package auth

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth/internal/passwordhash"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// HashCost is the cost of hashing a password. Zero is for production.
type HashCost = passwordhash.Cost

// Config is what New needs.
type Config struct {
	Store   *store.Store
	Keyring *secrets.Keyring
	Now     func() time.Time // in whole milliseconds, as the store keeps them
	Cost    HashCost
}

// Auth decides who may come in. Its parts are safe for concurrent use.
type Auth struct {
	AdminToken  *AdminToken
	Sessions    *Sessions
	Logins      *Logins
	Enrollment  *Enrollment
	Passkeys    *Passkeys
	People      *People
	Invitations *Invitations
}

// New returns the parts. They share the limiters and hash one password at a time.
func New(cfg Config) Auth {
	st, now := cfg.Store, cfg.Now
	hashes := &hasher{cost: cfg.Cost, turn: make(chan struct{}, 1)}
	attempts, confirms, refused := newLimiter(globalBurst), newLimiter(0), refusals{st, now}
	sessions := &Sessions{store: st, now: now}
	logins := &Logins{store: st, now: now, sessions: sessions, hashes: hashes,
		attempts: attempts, confirms: confirms, refusals: refused}
	people := &People{store: st, now: now, logins: logins}
	token := &AdminToken{store: st, keyring: cfg.Keyring, now: now, people: people, hashes: hashes,
		attempts: attempts, refusals: refused}
	return Auth{
		AdminToken: token, Sessions: sessions, Logins: logins, People: people,
		Invitations: &Invitations{store: st, now: now},
		Passkeys: &Passkeys{store: st, now: now, sessions: sessions, attempts: attempts, confirms: confirms,
			refusals: refused, challenges: newChallenges()},
		Enrollment: &Enrollment{store: st, now: now, token: token, sessions: sessions, hashes: hashes,
			attempts: attempts, refusals: refused},
	}
}

// hasher hashes one password at a time, so attackers can't exhaust the memory.
type hasher struct {
	cost HashCost
	turn chan struct{}
}

// matches reports whether a password has the hash. It is false once ctx has ended.
func (h *hasher) matches(ctx context.Context, password app.Secret, hash string) bool {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return false
	}
	ok, err := passwordhash.Matches(password, hash)
	return ok && err == nil
}

func (h *hasher) hash(ctx context.Context, password app.Secret) (string, error) {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return h.cost.Hash(password), nil
}

// refusals audits refused attempts.
type refusals struct {
	store *store.Store
	now   func() time.Time
}

// record audits a refusal and returns CodeUnauthorized. It never names the input: people type
// passwords into wrong fields.
func (r refusals) record(ctx context.Context, by app.Actor, subject, detail string) error {
	err := r.store.Write(ctx, func(tx *store.Tx) error {
		return tx.Audit(ctx, app.NewEvent(r.now(), by, "session.refuse", subject, detail))
	})
	if err != nil {
		return err
	}
	return wrongLogin()
}

// text formats a time for audit details and errors.
func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }
