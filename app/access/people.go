package access

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// inviteLife is how long an invitation can be used.
const inviteLife = 3 * 24 * time.Hour

// Person is somebody who may log in.
type Person struct {
	ID            string
	Name          string
	PasswordSetAt time.Time
	CreatedAt     time.Time
	LastLoginAt   time.Time // zero: never
	LastLoginFrom string
}

// People lists all by name.
func (s *Service) People(ctx context.Context) (list []Person, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.People(ctx)
		for _, p := range found {
			list = append(list, Person{p.ID, p.Name, p.PasswordSetAt, p.CreatedAt, p.LastLoginAt, p.LastLoginFrom})
		}
		return err
	})
	return list, err
}

// Founded reports whether anybody can log in with a name and a password. Before, only the admin token counts.
func (s *Service) Founded(ctx context.Context) (bool, error) {
	n := 0
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.CountPeople(ctx)
		return err
	})
	return n > 0, err
}

// ChangePassword gives the session's person a new password and ends their other sessions. A wrong old password is CodeInvalidField about "old", a new one
// that is not good enough about "password".
func (s *Service) ChangePassword(ctx context.Context, current Session, old, password app.Secret) error {
	if err := app.CheckPassword(current.Actor.Name, password); err != nil {
		return err
	}
	p, err := s.checkOwn(ctx, current, old)
	if app.CodeOf(err) == app.CodeInvalidField {
		return app.Invalid("old", "that is not your password", "Type the one that you log in with.")
	}
	if err != nil {
		return err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetPassword(ctx, p.ID, hash, s.now()); err != nil {
			return err
		}
		if _, err := tx.DeleteAdminSessionsOf(ctx, p.ID, current.ID); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(current.Actor, "person.password", p.Name, "Changed the password; other sessions of "+p.Name+" ended."))
	})
}

// RemovePerson takes somebody's access away at once. The last one can't be removed, and nobody removes themselves. People only.
func (s *Service) RemovePerson(ctx context.Context, current Session, id string) error {
	if err := peopleOnly(current.Actor); err != nil {
		return err
	}
	if id == current.PersonID {
		return app.E(app.CodeInUse, "you can't remove yourself", "Somebody else can; or log out.")
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		// Two who remove each other at once would leave nobody: the second is no person any more.
		if _, err := tx.PersonByID(ctx, current.PersonID); app.CodeOf(err) == app.CodeNotFound {
			return unauthorized()
		} else if err != nil {
			return err
		}
		p, err := tx.PersonByID(ctx, id)
		if err != nil {
			return err
		}
		if _, err := tx.DeleteAdminSessionsOf(ctx, id, ""); err != nil {
			return err
		}
		if err := tx.DeletePerson(ctx, id); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(current.Actor, "person.delete", p.Name, "Took "+p.Name+"'s access away; their sessions ended."))
	})
}

// Invite makes a one-time token with which somebody else chooses a name and a password. It is shown once and not kept. People only.
func (s *Service) Invite(ctx context.Context, by app.Actor) (token app.Secret, expires time.Time, err error) {
	if err := peopleOnly(by); err != nil {
		return token, expires, err
	}
	token, expires = app.NewAdminToken(), s.now().Add(inviteLife)
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.PruneInvitations(ctx, s.now()); err != nil {
			return err
		}
		x := store.Invitation{ID: app.NewID(), Token: tokenDigest(token), CreatedBy: by, CreatedAt: s.now(), ExpiresAt: expires}
		if err := tx.InsertInvitation(ctx, x); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "person.invite", x.ID, "Made an invitation that can be used until "+text(expires)+"."))
	})
	return token, expires, err
}

// Invitation is one that nobody has used yet.
type Invitation struct {
	ID        string
	By        app.Actor
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Invitations lists those that can be used, newest first.
func (s *Service) Invitations(ctx context.Context) (list []Invitation, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.Invitations(ctx)
		for _, x := range found {
			if s.now().Before(x.ExpiresAt) {
				list = append(list, Invitation{x.ID, x.CreatedBy, x.CreatedAt, x.ExpiresAt})
			}
		}
		return err
	})
	return list, err
}

// Uninvite takes an invitation back. People only.
func (s *Service) Uninvite(ctx context.Context, by app.Actor, id string) error {
	if err := peopleOnly(by); err != nil {
		return err
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteInvitation(ctx, id); err != nil {
			return err
		}
		if err := tx.DeleteSessionsOfInvitation(ctx, id); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "person.uninvite", id, "Took an invitation back."))
	})
}
