package auth

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// People keeps the people who may log in.
type People struct {
	store  *store.Store
	now    func() time.Time
	logins *Logins
}

// Person may log in.
type Person struct {
	ID            string
	Name          string
	PasswordSetAt time.Time
	CreatedAt     time.Time
	LastLoginAt   time.Time // zero: never
	LastLoginFrom string
	Passkeys      int // how many they have
}

// List lists all by name.
func (s *People) List(ctx context.Context) (list []Person, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.People.List(ctx)
		for _, p := range found {
			list = append(list, Person{p.ID, p.Name, p.PasswordSetAt, p.CreatedAt, p.LastLoginAt, p.LastLoginFrom,
				len(p.Passkeys)})
		}
		return err
	})
	return list, err
}

// Exist reports whether there is a person. Before, only the admin token counts.
func (s *People) Exist(ctx context.Context) (bool, error) {
	n := 0
	err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.People.Count(ctx)
		return err
	})
	return n > 0, err
}

// ChangePassword gives the session's person a new password and ends their other sessions.
// CodeInvalidField is about "old" for a wrong old password, and about "password" for a weak new
// one.
func (s *People) ChangePassword(ctx context.Context, current Session, old, password app.Secret) error {
	if err := app.CheckPassword(current.Actor.Name, password); err != nil {
		return err
	}
	p, err := s.logins.checkOwn(ctx, current, old)
	if app.CodeOf(err) == app.CodeInvalidField {
		return app.Invalid("old", "that is not your password", "Type the one that you log in with.")
	}
	if err != nil {
		return err
	}
	hash, err := s.logins.hashes.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.People.SetPassword(ctx, p.ID, hash, s.now()); err != nil {
			return err
		}
		if _, err := tx.Sessions.DeleteOf(ctx, p.ID, current.ID); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, "person.password", p.Name,
			"Changed the password; other sessions of "+p.Name+" ended."))
	})
}

// Remove takes a person's access away at once. Nobody removes themselves, so one always
// stays. People only.
func (s *People) Remove(ctx context.Context, current Session, id string) error {
	if err := current.Actor.PeopleOnly(); err != nil {
		return err
	}
	if id == current.PersonID {
		return app.E(app.CodeInUse, "you can't remove yourself", "Somebody else can; or log out.")
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		// Two people who remove each other at once would leave nobody.
		if _, err := tx.People.ByID(ctx, current.PersonID); app.CodeOf(err) == app.CodeNotFound {
			return unauthorized()
		} else if err != nil {
			return err
		}
		p, err := tx.People.ByID(ctx, id)
		if err != nil {
			return err
		}
		if _, err := tx.Sessions.DeleteOf(ctx, id, ""); err != nil {
			return err
		}
		if err := tx.People.Delete(ctx, id); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, "person.delete", p.Name,
			"Took "+p.Name+"'s access away; their sessions ended."))
	})
}
