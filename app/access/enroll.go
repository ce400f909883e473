package access

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Enroll checks the admin token or an invitation and opens a session that can do nothing but Join. Wrong ones are limited as at Login, and keep nobody out who has
// an invitation, or an admin token that is long enough (see finder). Every refusal is the same
// CodeUnauthorized, except CodeRateLimited, and CodeConflict for the admin token once it is spent: its holder is told when and from where it was used.
func (s *Service) Enroll(ctx context.Context, address, userAgent string, token app.Secret) (opened Opened, err error) {
	nobody := app.Actor{Kind: app.ActorAgent, Address: address}
	invitation, err := s.invitation(ctx, token)
	if err != nil {
		return opened, err
	}
	stored, err := s.storedToken(ctx)
	if err != nil {
		return opened, err
	}
	if invitation == "" && !s.found(token, stored) {
		if !s.logins.begin(origin(address), s.now()) {
			return opened, tooMany()
		}
		if n := len(token.Reveal()); n == 0 || n > maxToken || stored.hash == "" || !s.matches(ctx, token, stored.hash) {
			return opened, s.refuse(ctx, nobody, "admin", "Refused a login with a wrong token.")
		}
		s.logins.succeed(origin(address))
	}
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if invitation == "" {
			if err := s.tokenStands(ctx, tx, stored.hash); err != nil {
				return err
			}
		}
		opened, err = s.insertSession(ctx, tx, store.AdminSession{Invitation: invitation, Address: address, Agent: userAgent}, enrollLife)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(nobody, "session.enroll", "admin", "Showed a token; a name and a password come next."))
	})
	return opened, err
}

// tokenStands returns nil if the admin token is the one with the hash and not spent.
func (s *Service) tokenStands(ctx context.Context, tx *store.Tx, hash string) error {
	current, _, err := tx.Setting(ctx, settingToken)
	if err != nil {
		return err
	}
	if hash != "" && string(current.Value) != hash {
		return wrongLogin()
	}
	state, err := tokenState(ctx, tx)
	if err != nil {
		return err
	}
	if !state.SpentAt.IsZero() {
		return app.E(app.CodeConflict, fmt.Sprintf("this token was used by %s at %s, from %s; it works only once", state.SpentBy, text(state.SpentAt), state.SpentFrom),
			"If that was not you, end every session with airlock admin token on the host of Airlock, and use the token that it prints.")
	}
	return nil
}

// invitation returns the id of the invitation that the token is, or "".
func (s *Service) invitation(ctx context.Context, token app.Secret) (id string, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.InvitationByToken(ctx, tokenDigest(token))
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

// Enrolling tells what a cookie of Enroll is good for, else CodeUnauthorized: whether it may also give a new password to somebody who is known.
func (s *Service) Enrolling(ctx context.Context, cookie app.Secret) (known bool, err error) {
	found, err := s.findSession(ctx, cookie)
	if err == nil && found.PersonID != "" {
		err = unauthorized()
	}
	return err == nil && found.Invitation == "", err
}

// Join makes the holder of a token a person, or, with the admin token, gives somebody of that name a new password and ends their sessions. The token is
// spent with it. CodeInvalidField names what is wrong with the name or the password.
func (s *Service) Join(ctx context.Context, cookie app.Secret, address, userAgent, name string, password app.Secret) (opened Opened, err error) {
	enrolled, err := s.findSession(ctx, cookie)
	if err != nil {
		return opened, err
	}
	if enrolled.PersonID != "" {
		return opened, unauthorized()
	}
	if name, err = app.CheckPersonName(name); err != nil {
		return opened, err
	}
	if err := app.CheckPassword(name, password); err != nil {
		return opened, err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return opened, err
	}
	by := app.Actor{Kind: app.ActorPerson, Name: name, Address: address}
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if err := s.spend(ctx, tx, by, enrolled); err != nil {
			return err
		}
		id, err := s.settle(ctx, tx, by, enrolled.Invitation == "", hash)
		if err != nil {
			return err
		}
		opened, err = s.openPerson(ctx, tx, by, id, userAgent)
		return err
	})
	return opened, err
}

// spend uses up what opened the session, and every session that it opened.
func (s *Service) spend(ctx context.Context, tx *store.Tx, by app.Actor, enrolled store.AdminSession) error {
	if _, err := tx.AdminSession(ctx, enrolled.Token); app.CodeOf(err) == app.CodeNotFound { // ended meanwhile
		return unauthorized()
	} else if err != nil {
		return err
	}
	if enrolled.Invitation != "" {
		if err := tx.DeleteInvitation(ctx, enrolled.Invitation); err != nil {
			return err
		}
		return tx.DeleteSessionsOfInvitation(ctx, enrolled.Invitation)
	}
	if err := s.tokenStands(ctx, tx, ""); err != nil {
		return err
	}
	state, err := json.Marshal(spent{At: s.now(), From: by.Address, By: by.Name})
	if err != nil {
		return err
	}
	if err := tx.SetSettings(ctx, s.now(), store.Setting{Key: settingSpent, Value: state}); err != nil {
		return err
	}
	return tx.DeleteSessionsOfInvitation(ctx, "")
}

// settle adds the person, or sets their password where that is allowed, and returns their id.
func (s *Service) settle(ctx context.Context, tx *store.Tx, by app.Actor, known bool, hash string) (string, error) {
	p, err := tx.PersonByName(ctx, app.FoldName(by.Name))
	if app.CodeOf(err) == app.CodeNotFound {
		p = store.Person{ID: app.NewID(), Name: by.Name, Folded: app.FoldName(by.Name), Password: hash, PasswordSetAt: s.now(), CreatedBy: by, CreatedAt: s.now()}
		if err := tx.InsertPerson(ctx, p); err != nil {
			return "", err
		}
		return p.ID, tx.Audit(ctx, s.event(by, "person.create", p.Name, "Chose a name and a password, with a token that is spent now."))
	}
	if err != nil {
		return "", err
	}
	if !known {
		return "", app.Invalid("name", "somebody else has this name", "Choose another one.")
	}
	if _, err := tx.DeleteAdminSessionsOf(ctx, p.ID, ""); err != nil {
		return "", err
	}
	if err := tx.SetPassword(ctx, p.ID, hash, s.now()); err != nil {
		return "", err
	}
	return p.ID, tx.Audit(ctx, s.event(by, "person.password", p.Name, "Set a new password with the admin token, which is spent now; earlier sessions ended."))
}

// TokenState is how the admin token stands.
type TokenState struct {
	MadeAt    time.Time // zero: there is none
	SpentAt   time.Time // zero: it can be used
	SpentFrom string
	SpentBy   string
}

// AdminToken tells how the admin token stands.
func (s *Service) AdminToken(ctx context.Context) (state TokenState, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		state, err = tokenState(ctx, tx)
		return err
	})
	return state, err
}

// spent is stored when the admin token was used.
type spent struct {
	At   time.Time `json:"at"`
	From string    `json:"from"`
	By   string    `json:"by"`
}

func tokenState(ctx context.Context, tx *store.Tx) (TokenState, error) {
	made, ok, err := tx.Setting(ctx, settingToken)
	if err != nil || !ok {
		return TokenState{}, err
	}
	state := TokenState{MadeAt: made.UpdatedAt}
	used, ok, err := tx.Setting(ctx, settingSpent)
	if err != nil || !ok || len(used.Value) == 0 {
		return state, err
	}
	var x spent
	if err := json.Unmarshal(used.Value, &x); err != nil {
		return TokenState{}, fmt.Errorf("access: setting %s: %w", settingSpent, err)
	}
	state.SpentAt, state.SpentFrom, state.SpentBy = x.At, x.From, x.By
	return state, nil
}
