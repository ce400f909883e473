package access

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Service is the desk. It is safe for concurrent use.
type Service struct {
	cfg    Config
	logins *limiter
	hashes chan struct{} // one argon2id at a time, since each takes much memory
}

// Config is what a Service needs.
type Config struct {
	Store   *store.Store
	Keyring *secrets.Keyring // as VerifyKeyring returned it
	Hub     *live.Hub        // nil: nobody is told
	Now     func() time.Time // nil: time.Now
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
	return &Service{cfg: cfg, logins: newLimiter(), hashes: make(chan struct{}, 1)}
}

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

// event starts an audit event.
func (s *Service) event(by app.Actor, action, subject, detail string) app.Event {
	return app.Event{At: s.now(), Actor: by, Action: action, Subject: subject, Detail: detail}
}

// Audit lists events, newest first, before a sequence number (0: from the newest). limit is 1 to 1000; 0 means 50.
func (s *Service) Audit(ctx context.Context, before int64, limit int) (events []app.Event, err error) {
	if limit == 0 {
		limit = 50
	}
	limit = min(max(limit, 1), 1000)
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		events, err = tx.AuditEvents(ctx, before, limit)
		return err
	})
	return events, err
}

// VerifyAudit walks the hash chain and returns the first broken sequence number, or 0.
func (s *Service) VerifyAudit(ctx context.Context) (broken int64, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		broken, err = tx.VerifyAudit(ctx)
		return err
	})
	return broken, err
}

// text says for a time what people read in audit details and errors.
func text(t time.Time) string { return t.UTC().Format(time.RFC3339) }
