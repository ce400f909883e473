package auth

import (
	"context"
	"encoding/json"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Enrollment turns the holder of a token into a person.
type Enrollment struct {
	store    *store.Store
	now      func() time.Time
	token    *AdminToken
	sessions *Sessions
	hashes   *hasher
	attempts *limiter // by origin
	refusals refusals
}

// Enroll checks the admin token or an invitation and opens a session for Join. Wrong tokens are
// limited as at Login, but don't block invitations or long admin tokens (see finder). Errors:
// CodeUnauthorized, CodeRateLimited; CodeConflict for a spent admin token.
func (s *Enrollment) Enroll(ctx context.Context, address, userAgent string, token app.Secret) (opened Opened,
	err error) {
	somebody := app.Actor{Kind: app.ActorPerson, Address: address} // who showed or typed a token, in a browser
	invitation, err := s.invitation(ctx, token)
	if err != nil {
		return opened, err
	}
	stored, err := s.token.readToken(ctx)
	if err != nil {
		return opened, err
	}
	if invitation == "" && !s.token.matchesFinder(token, stored) {
		if !s.attempts.begin(Origin(address), s.now()) {
			return opened, tooMany()
		}
		if n := len(token.Reveal()); n == 0 || n > maxToken || stored.hash == "" ||
			!s.hashes.matches(ctx, token, stored.hash) {
			return opened, s.refusals.record(ctx, somebody, "admin", "Refused a login with a wrong token.")
		}
		s.attempts.refund(Origin(address))
	}
	err = s.store.Write(ctx, func(tx *store.Tx) (err error) {
		if invitation == "" {
			if err := s.token.checkUnspent(ctx, tx, stored.hash); err != nil {
				return err
			}
		}
		opened, err = s.sessions.open(ctx, tx, store.AdminSession{Invitation: invitation, Address: address,
			Agent: userAgent},
			enrollLife)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), somebody, "session.enroll", "admin",
			"Showed a token; a name and a password come next."))
	})
	return opened, err
}

// invitation returns the id of the token's invitation, or "".
func (s *Enrollment) invitation(ctx context.Context, token app.Secret) (id string, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.Invitations.ByToken(ctx, tokenDigest(token))
		if err == nil && s.now().Before(found.ExpiresAt) {
			id = found.ID
		}
		if app.CodeOf(err) == app.CodeNotFound {
			return nil
		}
		return err
	})
	return id, err
}

// IsEnrolling reports whether Enroll's cookie may also reset a known person's password. Another
// cookie is CodeUnauthorized.
func (s *Enrollment) IsEnrolling(ctx context.Context, cookie app.Secret) (known bool, err error) {
	found, err := s.sessions.find(ctx, cookie)
	if err == nil && found.PersonID != "" {
		err = unauthorizedError()
	}
	return err == nil && found.Invitation == "", err
}

// Join makes the token's holder a person and spends the token. With the admin token, a known name
// gets a new password; its sessions and passkeys end. CodeInvalidField names the faulty name or
// password.
func (s *Enrollment) Join(
	ctx context.Context, cookie app.Secret, address, userAgent, name string, password app.Secret,
) (opened Opened, err error) {
	enrolled, err := s.sessions.find(ctx, cookie)
	if err != nil {
		return opened, err
	}
	if enrolled.PersonID != "" {
		return opened, unauthorizedError()
	}
	if name, err = app.CheckPersonName(name); err != nil {
		return opened, err
	}
	if err := app.CheckPassword(name, password); err != nil {
		return opened, err
	}
	hash, err := s.hashes.hash(ctx, password)
	if err != nil {
		return opened, err
	}
	by := app.Actor{Kind: app.ActorPerson, Name: name, Address: address}
	err = s.store.Write(ctx, func(tx *store.Tx) (err error) {
		role, err := s.spend(ctx, tx, by, enrolled)
		if err != nil {
			return err
		}
		id, err := s.admit(ctx, tx, by, enrolled.Invitation == "", role, hash)
		if err != nil {
			return err
		}
		opened, err = s.sessions.openFor(ctx, tx, by, id, userAgent)
		return err
	})
	return opened, err
}

// spend uses up the session's token and ends every session it opened. It returns the role for a new
// person.
func (s *Enrollment) spend(ctx context.Context, tx *store.Tx, by app.Actor, enrolled store.AdminSession) (
	role app.Role, err error,
) {
	if _, err := tx.Sessions.ByToken(ctx, enrolled.Token); app.CodeOf(err) == app.CodeNotFound { // ended meanwhile
		return "", unauthorizedError()
	} else if err != nil {
		return "", err
	}
	if enrolled.Invitation != "" {
		invitation, err := tx.Invitations.ByID(ctx, enrolled.Invitation)
		if err != nil {
			return "", err
		}
		if err := tx.Invitations.Delete(ctx, enrolled.Invitation); err != nil {
			return "", err
		}
		return invitation.Role, tx.Sessions.DeleteEnrolling(ctx, enrolled.Invitation)
	}
	if err := s.token.checkUnspent(ctx, tx, ""); err != nil {
		return "", err
	}
	state, err := json.Marshal(spent{At: s.now(), From: by.Address, By: by.Name})
	if err != nil {
		return "", err
	}
	if err := tx.Settings.Set(ctx, s.now(), store.Setting{Key: settingSpent, Value: state}); err != nil {
		return "", err
	}
	return app.RoleOwner, tx.Sessions.DeleteEnrolling(ctx, "")
}

// admit adds the person, or sets their password if known allows it. It returns their id. A known
// person keeps their role.
func (s *Enrollment) admit(ctx context.Context, tx *store.Tx, by app.Actor, known bool, role app.Role, hash string) (
	string, error,
) {
	p, err := tx.People.ByName(ctx, app.FoldName(by.Name))
	if app.CodeOf(err) == app.CodeNotFound {
		p = store.Person{
			ID: app.NewID(), Name: by.Name, Folded: app.FoldName(by.Name),
			Password: hash, PasswordSetAt: s.now(), CreatedBy: by, CreatedAt: s.now(), Role: role,
		}
		if err := tx.People.Insert(ctx, p); err != nil {
			return "", err
		}
		return p.ID, tx.Audit(ctx, app.NewEvent(s.now(), by, "person.create", p.Name,
			"Chose a name and a password, with a token that is spent now. The role is "+string(role)+"."))
	}
	if err != nil {
		return "", err
	}
	if !known {
		return "", app.Invalid("name", "somebody else has this name", "Choose another one.")
	}
	if _, err := tx.Sessions.DeleteOf(ctx, p.ID, ""); err != nil {
		return "", err
	}
	if err := tx.People.SetPasskeys(ctx, p.ID, nil); err != nil { // an intruder may have added one
		return "", err
	}
	if err := tx.People.SetPassword(ctx, p.ID, hash, s.now()); err != nil {
		return "", err
	}
	return p.ID, tx.Audit(ctx, app.NewEvent(s.now(), by, "person.password", p.Name,
		"Set a new password with the admin token, which is spent now; earlier sessions and passkeys ended."))
}
