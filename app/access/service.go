package access

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/store"
)

// Service is the desk. It is safe for concurrent use.
type Service struct {
	cfg      Config
	logins   *limiter      // by origin
	confirms *limiter      // by person
	hashes   chan struct{} // one argon2id at a time, since each takes much memory
	audited  audited
	vault    *vaultMemory
	sets     *SearchSets

	monitors monitors

	unreadable unreadables
	unnoted    atomic.Pointer[time.Time] // when the use of a session could last not be written down; nil if it always could
}

// Config is what a Service needs.
type Config struct {
	Store   *store.Store
	Keyring *secrets.Keyring // as VerifyKeyring returned it
	Hub     *live.Hub        // nil: nobody is told
	Now     func() time.Time // nil: time.Now
	Vault   *vault.Client    // nil: credentials can't refer to Vault
	Leases  *leases.Keeper   // of what Vault lends; needed with Vault
	// AgentProfiles says whether agents may create profiles, how many may wait unclaimed at once (default 50), and how long an
	// unclaimed one lives (default 7 days).
	AgentProfiles bool
	MaxUnclaimed  int
	UnclaimedLife time.Duration
}

// New returns a Service.
func New(cfg Config) *Service {
	if cfg.Hub == nil {
		cfg.Hub = &live.Hub{}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.MaxUnclaimed == 0 {
		cfg.MaxUnclaimed = 50
	}
	if cfg.UnclaimedLife == 0 {
		cfg.UnclaimedLife = 7 * 24 * time.Hour
	}
	cfg.Store.OnAudit(func() { cfg.Hub.Publish(live.Audit) })
	memory := newVaultMemory()
	return &Service{cfg: cfg, logins: newLimiter(globalBurst), confirms: newLimiter(0), hashes: make(chan struct{}, 1), vault: memory, sets: newSearchSets(cfg.Store, cfg.Keyring, memory), unreadable: unreadables{list: map[string]unread{}}}
}

// SearchSets returns what is known of each host's values.
func (s *Service) SearchSets() *SearchSets { return s.sets }

// now is in the store's resolution, so that what is returned after a change equals what is read later.
func (s *Service) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// peopleOnly refuses agents what is a person's to decide.
func peopleOnly(by app.Actor) error {
	switch by.Kind {
	case app.ActorPerson, app.ActorCommand, app.ActorSystem:
		return nil
	}
	return app.E(app.CodeForbidden, "only a person can do that", "Ask the person who runs Airlock to do it in the admin UI.")
}

// Note writes down what a person did that changes nothing in the store by itself. detail is one plain sentence without secrets. People only.
func (s *Service) Note(ctx context.Context, by app.Actor, action, subject, detail string) error {
	if err := peopleOnly(by); err != nil {
		return err
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Audit(ctx, s.event(by, action, subject, detail)) })
}

// event starts an audit event.
func (s *Service) event(by app.Actor, action, subject, detail string) app.Event {
	return app.Event{At: s.now(), Actor: by, Action: action, Subject: subject, Detail: detail}
}

// text says for a time what people read in audit details and errors.
func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }
