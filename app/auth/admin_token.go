package auth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Settings of the admin token: its hash, its finder, and who spent it when.
const (
	settingToken  = "admin.token"
	settingFinder = "admin.token.finder"
	settingSpent  = "admin.token.spent"
)

// SettingKeys returns the settings that hold the admin token.
func SettingKeys() []string { return []string{settingToken, settingFinder, settingSpent} }

// Lengths of an admin token, in bytes.
const (
	minToken    = 16   // accepted from the configuration
	strongToken = 32   // can't be guessed, however often somebody tries
	maxToken    = 1024 // worth hashing
)

// AdminToken is the token of the first person. Only its hash is kept.
type AdminToken struct {
	store    *store.Store
	keyring  *secrets.Keyring
	now      func() time.Time
	people   *People
	hashes   *hasher
	attempts *limiter // by origin
	refusals refusals
	monitors monitors
}

// Ensure sets the configured admin token, or makes one on the first boot. A new one is returned, to
// be printed once. Under 16 characters are refused. Once there is a person, a configured token no
// longer counts: too many may see a platform's settings.
func (s *AdminToken) Ensure(ctx context.Context, configured app.Secret) (printed app.Secret, err error) {
	if n := len(configured.Reveal()); !configured.Empty() && (n < minToken || n > maxToken) {
		return app.Secret{}, app.Invalid("AIRLOCK_ADMIN_TOKEN",
			fmt.Sprintf("the configured admin token must have %d to %d bytes", minToken, maxToken),
			"Set AIRLOCK_ADMIN_TOKEN to a long random text, for example from: openssl rand -hex 24.")
	}
	if founded, err := s.people.Exist(ctx); err != nil || founded {
		return app.Secret{}, err
	}
	stored, err := s.readToken(ctx)
	if err != nil {
		return app.Secret{}, err
	}
	switch {
	case configured.Empty() && stored.hash != "":
		return app.Secret{}, nil
	case configured.Empty():
		token := app.NewAdminToken()
		return token, s.setToken(ctx, app.System(), token, "Made the first admin token.")
	case stored.hash != "" && s.hashes.matches(ctx, configured, stored.hash):
		return app.Secret{}, nil
	}
	return app.Secret{}, s.setToken(ctx, app.System(), configured, "Took the admin token from the configuration.")
}

// Renew makes another admin token and ends all sessions and invitations. People only. It helps
// against a forgotten password or an intruder.
func (s *AdminToken) Renew(ctx context.Context, by app.Actor) (app.Secret, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Secret{}, err
	}
	token := app.NewAdminToken()
	return token, s.setToken(ctx, by, token, "Made a new admin token; all sessions and invitations ended.")
}

func (s *AdminToken) setToken(ctx context.Context, by app.Actor, token app.Secret, detail string) error {
	hash, err := s.hashes.hash(ctx, token)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		err := tx.Settings.Set(ctx, s.now(), store.Setting{Key: settingToken, Value: []byte(hash)},
			store.Setting{Key: settingFinder, Value: s.finder(token, hash)},
			store.Setting{Key: settingSpent, Value: []byte{}})
		if err != nil {
			return err
		}
		if _, err := tx.Sessions.DeleteAll(ctx); err != nil {
			return err
		}
		if err := tx.Invitations.DeleteAll(ctx); err != nil { // an intruder may have made them
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "admin.token", "admin", detail))
	})
}

// storedToken is the stored part of the admin token; empty if there is none.
type storedToken struct {
	hash   string
	finder []byte
}

func (s *AdminToken) readToken(ctx context.Context) (stored storedToken, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		settings, err := tx.Settings.GetAll(ctx, settingToken, settingFinder)
		stored = storedToken{string(settings[settingToken].Value), settings[settingFinder].Value}
		return err
	})
	return stored, err
}

// finder returns a keyed hash that recognises the token before any limit applies. It is empty for a
// guessable, short token.
func (s *AdminToken) finder(token app.Secret, hash string) []byte {
	if len(token.Reveal()) < strongToken {
		return []byte{}
	}
	return s.keyring.Lookup(secrets.Settings, settingFinder+" "+hash+" "+token.Reveal())
}

// matchesFinder reports in constant time whether the finder recognises the token. If not, the hash
// decides.
func (s *AdminToken) matchesFinder(token app.Secret, stored storedToken) bool {
	return len(stored.finder) > 0 && subtle.ConstantTimeCompare(s.finder(token, stored.hash), stored.finder) == 1
}

// checkUnspent returns nil if the hash is the admin token's and it is unspent.
func (s *AdminToken) checkUnspent(ctx context.Context, tx *store.Tx, hash string) error {
	current, _, err := tx.Settings.Get(ctx, settingToken)
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
		return app.E(app.CodeConflict, fmt.Sprintf("this token was used by %s on %s, from %s; it works only once",
			state.SpentBy, state.SpentAt.UTC().Format("2 January 2006 at 15:04 UTC"), state.SpentFrom),
			"If that was not you, end every session with airlock admin token on the host of Airlock, "+
				"and use the token that it prints.")
	}
	return nil
}

// TokenState says whether there is an admin token, and who spent it.
type TokenState struct {
	MadeAt    time.Time // zero: there is none
	SpentAt   time.Time // zero: it can be used
	SpentFrom string
	SpentBy   string
}

// State returns the state of the admin token.
func (s *AdminToken) State(ctx context.Context) (state TokenState, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
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
	made, ok, err := tx.Settings.Get(ctx, settingToken)
	if err != nil || !ok {
		return TokenState{}, err
	}
	state := TokenState{MadeAt: made.UpdatedAt}
	used, ok, err := tx.Settings.Get(ctx, settingSpent)
	if err != nil || !ok || len(used.Value) == 0 {
		return state, err
	}
	var x spent
	if err := json.Unmarshal(used.Value, &x); err != nil {
		return TokenState{}, fmt.Errorf("auth: setting %s: %w", settingSpent, err)
	}
	state.SpentAt, state.SpentFrom, state.SpentBy = x.At, x.From, x.By
	return state, nil
}
