package access

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// How long sessions live, and how often their use is written down.
const (
	sessionIdle = 12 * time.Hour
	sessionLife = 7 * 24 * time.Hour
	sessionNote = time.Minute
)

// personAdmin is who the holder of the admin token is.
const personAdmin = "admin"

// Login checks the admin token, rate-limited per address and globally, and opens a session. Every refusal is the same CodeUnauthorized,
// except CodeRateLimited.
func (s *Service) Login(ctx context.Context, address, userAgent string, token app.Secret) (session app.Secret, expires time.Time, err error) {
	if !s.logins.begin(address, s.now()) {
		return app.Secret{}, time.Time{}, app.E(app.CodeRateLimited, "there were too many wrong tokens", "Wait a minute, then try again.")
	}
	hash, ok, err := s.tokenHash(ctx)
	if err != nil {
		return app.Secret{}, time.Time{}, err
	}
	by := app.Actor{Kind: app.ActorPerson, Name: personAdmin, Address: address}
	if !ok || token.Empty() || len(token.Reveal()) > maxToken || !s.matches(ctx, token, hash) {
		return app.Secret{}, time.Time{}, s.refuseLogin(ctx, address)
	}
	s.logins.succeed(address)
	return s.openSession(ctx, by, userAgent, hash)
}

func (s *Service) refuseLogin(ctx context.Context, address string) error {
	nobody := app.Actor{Kind: app.ActorAgent, Address: address}
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Audit(ctx, s.event(nobody, "session.refuse", "admin", "Refused a login with a wrong admin token."))
	})
	if err != nil {
		return err
	}
	return unauthorized()
}

// openSession opens a session unless the token was replaced since its hash was read.
func (s *Service) openSession(ctx context.Context, by app.Actor, userAgent, hash string) (app.Secret, time.Time, error) {
	session := app.NewSessionToken()
	now := s.now()
	record := store.AdminSession{
		ID: app.NewID(), Token: sessionHash(session), Person: by.Name, Address: by.Address, Agent: app.Clip(userAgent, 200),
		CreatedAt: now, SeenAt: now, ConfirmedAt: now, ExpiresAt: now.Add(sessionLife),
	}
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		current, _, err := tx.Setting(ctx, settingToken)
		if err != nil {
			return err
		}
		if string(current.Value) != hash {
			return unauthorized()
		}
		if err := tx.PruneAdminSessions(ctx, now, now.Add(-sessionIdle)); err != nil {
			return err
		}
		if err := tx.InsertAdminSession(ctx, record); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "session.login", by.Name, "Logged in with the admin token."))
	})
	if err != nil {
		return app.Secret{}, time.Time{}, err
	}
	return session, record.ExpiresAt, nil
}

// Session returns the actor of a valid session and extends its idle time, else CodeUnauthorized.
func (s *Service) Session(ctx context.Context, session app.Secret, address string) (app.Actor, error) {
	if session.Empty() {
		return app.Actor{}, unauthorized()
	}
	var found store.AdminSession
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = tx.AdminSession(ctx, sessionHash(session))
		return err
	})
	if app.CodeOf(err) == app.CodeNotFound {
		return app.Actor{}, unauthorized()
	}
	if err != nil {
		return app.Actor{}, err
	}
	now := s.now()
	if !now.Before(found.ExpiresAt) || !now.Before(found.SeenAt.Add(sessionIdle)) {
		return app.Actor{}, unauthorized()
	}
	if now.Sub(found.SeenAt) >= sessionNote {
		err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.SeeAdminSession(ctx, found.ID, address, now) })
		if app.CodeOf(err) == app.CodeConflict { // it was ended meanwhile
			return app.Actor{}, unauthorized()
		}
		if err != nil {
			return app.Actor{}, err
		}
	}
	return app.Actor{Kind: app.ActorPerson, Name: found.Person, Address: address}, nil
}

// Logout ends a session. A session that is over already is no error.
func (s *Service) Logout(ctx context.Context, session app.Secret) error {
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		person, ok, err := tx.DeleteAdminSession(ctx, sessionHash(session))
		if err != nil || !ok {
			return err
		}
		return tx.Audit(ctx, s.event(app.Actor{Kind: app.ActorPerson, Name: person}, "session.logout", person, "Logged out."))
	})
}

// sessionHash is what is stored of a session's token: the token has 160 random bits, so a plain hash is enough.
func sessionHash(session app.Secret) []byte {
	sum := sha256.Sum256([]byte(session.Reveal()))
	return sum[:]
}

func unauthorized() error {
	return app.E(app.CodeUnauthorized, "you are not logged in", "Log in with the admin token; airlock admin token makes a new one.")
}
