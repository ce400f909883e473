package auth

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// decoy is a hash without a password. It makes unknown names as slow as known ones.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Logins checks names and passwords.
type Logins struct {
	store    *store.Store
	now      func() time.Time
	sessions *Sessions
	hashes   *hasher
	attempts *limiter // by origin
	confirms *limiter // by person
	refusals refusals
}

// Login checks a name and a password and opens a session. Attempts are limited per address and
// overall. All refusals are the same CodeUnauthorized, or CodeRateLimited.
func (s *Logins) Login(ctx context.Context, address, userAgent, name string, password app.Secret) (opened Opened,
	err error) {
	if !s.attempts.begin(Origin(address), s.now()) {
		return opened, tooMany()
	}
	p, err := s.personNamed(ctx, name)
	known := err == nil
	if err != nil && app.CodeOf(err) != app.CodeNotFound {
		return opened, err
	}
	hash := decoy
	if known {
		hash = p.Password
	}
	if !s.hashes.matches(ctx, password, hash) || !known {
		somebody := app.Actor{Kind: app.ActorPerson, Address: address}
		return opened, s.refusals.record(ctx, somebody, subjectOf(p, "login"),
			"Refused a login with a wrong name or password.")
	}
	s.attempts.refund(Origin(address))
	by := app.Actor{Kind: app.ActorPerson, Name: p.Name, Address: address}
	err = s.store.Write(ctx, func(tx *store.Tx) (err error) {
		// The password or the person may have changed during the check.
		if now, err := tx.People.ByID(ctx, p.ID); app.CodeOf(err) == app.CodeNotFound ||
			err == nil && now.Password != p.Password {
			return wrongLogin()
		} else if err != nil {
			return err
		}
		opened, err = s.sessions.openFor(ctx, tx, by, p.ID, userAgent)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "session.login", p.Name, "Logged in."))
	})
	return opened, err
}

// Confirm checks the session's password again and makes the session fresh. Attempts are limited per
// person, so strangers can't block it. A wrong password is CodeInvalidField.
func (s *Logins) Confirm(ctx context.Context, current Session, password app.Secret) error {
	p, err := s.checkOwn(ctx, current, password)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Sessions.Confirm(ctx, current.ID, s.now()); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, "session.confirm", p.Name,
			"Typed the password again."))
	})
}

// checkOwn checks the password of a session's person.
func (s *Logins) checkOwn(ctx context.Context, current Session, password app.Secret) (p store.Person, err error) {
	if !s.confirms.begin(current.PersonID, s.now()) {
		return p, tooMany()
	}
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = tx.People.ByID(ctx, current.PersonID)
		return err
	})
	if err != nil {
		return p, err
	}
	if !s.hashes.matches(ctx, password, p.Password) {
		if err := s.refusals.record(ctx, current.Actor, p.Name,
			"Refused a wrong password."); app.CodeOf(err) != app.CodeUnauthorized {
			return p, err
		}
		return p, app.Invalid("password", "that is not your password", "Type the one that you log in with.")
	}
	s.confirms.refund(current.PersonID)
	return p, nil
}

func subjectOf(p store.Person, otherwise string) string {
	if p.ID == "" {
		return otherwise
	}
	return p.Name
}

func (s *Logins) personNamed(ctx context.Context, name string) (p store.Person, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = tx.People.ByName(ctx, app.FoldName(app.Clip(name, 4*app.MaxPersonName)))
		return err
	})
	return p, err
}

func tooMany() error {
	return app.E(app.CodeRateLimited, "there were too many wrong attempts", "Wait a minute, then try again.")
}

func wrongLogin() error {
	return app.E(app.CodeUnauthorized, "that is not a name and its password, or not a token that counts",
		"Try again; airlock admin token on the host of Airlock makes a new token.")
}
