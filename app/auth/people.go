package auth

import (
	"context"
	"fmt"
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
	Role          app.Role
	Passkeys      int // how many they have
}

// List lists all by name.
func (s *People) List(ctx context.Context) (list []Person, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.People.List(ctx)
		for _, p := range found {
			list = append(list, Person{p.ID, p.Name, p.PasswordSetAt, p.CreatedAt, p.LastLoginAt, p.LastLoginFrom,
				p.Role, len(p.Passkeys)})
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

// ChangePassword sets the session's person's password and ends their other sessions.
// CodeInvalidField is about "old" for a wrong old password, "password" for a weak new one.
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

// SetRole changes a person's role at once. One owner always stays. by's PersonID is empty for a
// command on the host. CodeInvalidField is about "role". Owners and commands only.
func (s *People) SetRole(ctx context.Context, by Session, id string, role app.Role) error {
	if err := by.Actor.PeopleOnly(); err != nil {
		return err
	}
	if err := app.CheckRole(role); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		if by.Actor.Kind != app.ActorCommand {
			if err := s.stillOwner(ctx, tx, by); err != nil {
				return err
			}
		}
		p, err := tx.People.ByID(ctx, id)
		if err != nil || p.Role == role {
			return err
		}
		if err := tx.People.SetRole(ctx, id, role); err != nil {
			return err
		}
		if owners, err := tx.People.CountOwners(ctx); err != nil {
			return err
		} else if owners == 0 {
			return app.E(app.CodeInUse, p.Name+" is the only owner", "Make somebody else an owner first.")
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by.Actor, "person.role", p.Name,
			fmt.Sprintf("Changed the role from %s to %s.", p.Role, role)))
	})
}

// stillOwner refuses a person who lost the owner role during their request. Two who remove each
// other at once would leave nobody.
func (s *People) stillOwner(ctx context.Context, tx *store.Tx, current Session) error {
	me, err := tx.People.ByID(ctx, current.PersonID)
	if app.CodeOf(err) == app.CodeNotFound {
		return unauthorizedError()
	}
	if err == nil && me.Role != app.RoleOwner {
		return app.E(app.CodeForbidden, "only an owner may do this", "Ask an owner.")
	}
	return err
}

// Remove ends a person's access at once. Nobody removes themselves, so an owner always stays.
// Owners only.
func (s *People) Remove(ctx context.Context, current Session, id string) error {
	if err := current.Actor.PeopleOnly(); err != nil {
		return err
	}
	if id == current.PersonID {
		return app.E(app.CodeInUse, "you can't remove yourself", "Somebody else can; or log out.")
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		if err := s.stillOwner(ctx, tx, current); err != nil {
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
