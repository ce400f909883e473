package access

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// decoy is a hash that no password has. An unknown name costs as much time as a known one.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Login checks a name and a password, limited per address and over all, and opens a session. Every refusal is the same CodeUnauthorized, except
// CodeRateLimited.
func (s *Service) Login(ctx context.Context, address, userAgent, name string, password app.Secret) (opened Opened, err error) {
	if !s.logins.begin(origin(address), s.now()) {
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
	if !s.matches(ctx, password, hash) || !known {
		return opened, s.refuse(ctx, app.Actor{Kind: app.ActorAgent, Address: address}, subjectOf(p, "login"), "Refused a login with a wrong name or password.")
	}
	s.logins.succeed(origin(address))
	by := app.Actor{Kind: app.ActorPerson, Name: p.Name, Address: address}
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		// The password may have been changed, or the person removed, while it was being checked.
		if now, err := tx.PersonByID(ctx, p.ID); app.CodeOf(err) == app.CodeNotFound || err == nil && now.Password != p.Password {
			return wrongLogin()
		} else if err != nil {
			return err
		}
		opened, err = s.openPerson(ctx, tx, by, p.ID, userAgent)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "session.login", p.Name, "Logged in."))
	})
	return opened, err
}

// openPerson opens a session for somebody who has just typed their password.
func (s *Service) openPerson(ctx context.Context, tx *store.Tx, by app.Actor, id, userAgent string) (Opened, error) {
	if err := tx.NoteLogin(ctx, id, by.Address, s.now()); err != nil {
		return Opened{}, err
	}
	return s.insertSession(ctx, tx, store.AdminSession{Person: by.Name, PersonID: id, Address: by.Address, Agent: userAgent}, sessionLife)
}

// Confirm checks the password of a session's person again, and makes the session fresh (see Session.Fresh). It is limited as Login is, per person: who is not logged in
// keeps nobody from it. A wrong password is CodeInvalidField.
func (s *Service) Confirm(ctx context.Context, current Session, password app.Secret) error {
	p, err := s.checkOwn(ctx, current, password)
	if err != nil {
		return err
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.ConfirmAdminSession(ctx, current.ID, s.now()); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(current.Actor, "session.confirm", p.Name, "Typed the password again."))
	})
}

// checkOwn checks the password of a session's person.
func (s *Service) checkOwn(ctx context.Context, current Session, password app.Secret) (p store.Person, err error) {
	if !s.confirms.begin(current.PersonID, s.now()) {
		return p, tooMany()
	}
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = tx.PersonByID(ctx, current.PersonID)
		return err
	})
	if err != nil {
		return p, err
	}
	if !s.matches(ctx, password, p.Password) {
		if err := s.refuse(ctx, current.Actor, p.Name, "Refused a wrong password."); app.CodeOf(err) != app.CodeUnauthorized {
			return p, err
		}
		return p, app.Invalid("password", "that is not your password", "Type the one that you log in with.")
	}
	s.confirms.succeed(current.PersonID)
	return p, nil
}

// refuse writes a refusal down. It never names what was typed: people type passwords into the wrong field.
func (s *Service) refuse(ctx context.Context, by app.Actor, subject, detail string) error {
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Audit(ctx, s.event(by, "session.refuse", subject, detail)) })
	if err != nil {
		return err
	}
	return wrongLogin()
}

func subjectOf(p store.Person, otherwise string) string {
	if p.ID == "" {
		return otherwise
	}
	return p.Name
}

func (s *Service) personNamed(ctx context.Context, name string) (p store.Person, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = tx.PersonByName(ctx, app.FoldName(app.Clip(name, 4*app.MaxPersonName)))
		return err
	})
	return p, err
}

func tooMany() error {
	return app.E(app.CodeRateLimited, "there were too many wrong attempts", "Wait a minute, then try again.")
}

func wrongLogin() error {
	return app.E(app.CodeUnauthorized, "that is not a name and its password, or not a token that counts", "Try again; airlock admin token on the host of Airlock makes a new token.")
}
