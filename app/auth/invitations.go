package auth

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// inviteLife is how long an invitation can be used.
const inviteLife = 3 * 24 * time.Hour

// Invitations lets people let others in.
type Invitations struct {
	store *store.Store
	now   func() time.Time
}

// Create makes a one-time token for another person with the role. It is shown once and not kept.
// CodeInvalidField is about "role". People only.
func (s *Invitations) Create(ctx context.Context, by app.Actor, role app.Role) (
	token app.Secret, expires time.Time, err error,
) {
	if err := by.PeopleOnly(); err != nil {
		return token, expires, err
	}
	if err := app.CheckRole(role); err != nil {
		return token, expires, err
	}
	token, expires = app.NewAdminToken(), s.now().Add(inviteLife)
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Invitations.Prune(ctx, s.now()); err != nil {
			return err
		}
		x := store.Invitation{
			ID: app.NewID(), Token: tokenDigest(token), CreatedBy: by, CreatedAt: s.now(), ExpiresAt: expires,
			Role: role,
		}
		if err := tx.Invitations.Insert(ctx, x); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "person.invite", x.ID,
			"Made an invitation for the role "+string(role)+" that can be used until "+text(expires)+"."))
	})
	return token, expires, err
}

// Invitation is a one-time token that nobody has used yet.
type Invitation struct {
	ID        string
	By        app.Actor
	CreatedAt time.Time
	ExpiresAt time.Time
	Role      app.Role
}

// List lists those that can be used, newest first.
func (s *Invitations) List(ctx context.Context) (list []Invitation, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.Invitations.List(ctx)
		for _, x := range found {
			if s.now().Before(x.ExpiresAt) {
				list = append(list, Invitation{x.ID, x.CreatedBy, x.CreatedAt, x.ExpiresAt, x.Role})
			}
		}
		return err
	})
	return list, err
}

// Revoke revokes an invitation. People only.
func (s *Invitations) Revoke(ctx context.Context, by app.Actor, id string) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Invitations.Delete(ctx, id); err != nil {
			return err
		}
		if err := tx.Sessions.DeleteEnrolling(ctx, id); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "person.uninvite", id, "Took an invitation back."))
	})
}
