package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Settings of the admin token: its hash, by what it is known at once, and once it was used, when and by whom.
const (
	settingToken  = "admin.token"
	settingFinder = "admin.token.finder"
	settingSpent  = "admin.token.spent"
)

// Lengths of an admin token, in bytes: the shortest that is accepted from the configuration, the shortest that nobody guesses however often they try, and the longest that
// is worth hashing.
const (
	minToken    = 16
	strongToken = 32
	maxToken    = 1024
)

// EnsureAdminToken sets the admin token, which lets the first person in: the configured one if not empty, else on the first boot a new one, which is
// returned to be printed once. Only a hash (argon2id) is stored. One of less than 16 characters is refused. Once there is a person, the configured token
// counts no more: it may stand in a platform's settings for ever, in sight of more people than those who may log in.
func (s *Service) EnsureAdminToken(ctx context.Context, configured app.Secret) (printed app.Secret, err error) {
	if n := len(configured.Reveal()); !configured.Empty() && (n < minToken || n > maxToken) {
		return app.Secret{}, app.Invalid("AIRLOCK_ADMIN_TOKEN", fmt.Sprintf("the configured admin token has not %d to %d characters", minToken, maxToken),
			"Set AIRLOCK_ADMIN_TOKEN to a long random text, for example from: openssl rand -hex 24.")
	}
	if founded, err := s.Founded(ctx); err != nil || founded {
		return app.Secret{}, err
	}
	stored, err := s.storedToken(ctx)
	if err != nil {
		return app.Secret{}, err
	}
	switch {
	case configured.Empty() && stored.hash != "":
		return app.Secret{}, nil
	case configured.Empty():
		token := app.NewAdminToken()
		return token, s.setToken(ctx, app.System(), token, "Made the first admin token.")
	case stored.hash != "" && s.matches(ctx, configured, stored.hash):
		return app.Secret{}, nil
	}
	return app.Secret{}, s.setToken(ctx, app.System(), configured, "Took the admin token from the configuration.")
}

// NewAdminToken makes another admin token and ends all sessions and invitations: for who has forgotten a password, and for when somebody is in who should not be. People only.
func (s *Service) NewAdminToken(ctx context.Context, by app.Actor) (app.Secret, error) {
	if err := peopleOnly(by); err != nil {
		return app.Secret{}, err
	}
	token := app.NewAdminToken()
	return token, s.setToken(ctx, by, token, "Made a new admin token; all sessions and invitations ended.")
}

func (s *Service) setToken(ctx context.Context, by app.Actor, token app.Secret, detail string) error {
	hash := hashToken(token)
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		err := tx.SetSettings(ctx, s.now(), store.Setting{Key: settingToken, Value: []byte(hash)},
			store.Setting{Key: settingFinder, Value: s.finder(token, hash)}, store.Setting{Key: settingSpent, Value: []byte{}})
		if err != nil {
			return err
		}
		if _, err := tx.DeleteAdminSessions(ctx); err != nil {
			return err
		}
		if err := tx.DeleteInvitations(ctx); err != nil { // who made them may be who should not be in
			return err
		}
		return tx.Audit(ctx, s.event(by, "admin.token", "admin", detail))
	})
}

// storedToken is what is kept of the admin token; empty if there is none.
type storedToken struct {
	hash   string
	finder []byte
}

func (s *Service) storedToken(ctx context.Context) (stored storedToken, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		settings, err := tx.Settings(ctx, settingToken, settingFinder)
		stored = storedToken{string(settings[settingToken].Value), settings[settingFinder].Value}
		return err
	})
	return stored, err
}

// finder is a keyed hash by which the token with that argon2id hash is known at once, whatever others have tried; empty for one that is short enough to be guessed if
// trying were not limited.
func (s *Service) finder(token app.Secret, hash string) []byte {
	if len(token.Reveal()) < strongToken {
		return []byte{}
	}
	return s.cfg.Keyring.Lookup(secrets.Settings, settingFinder+" "+hash+" "+token.Reveal())
}

// found reports whether token is the stored one, in constant time. It has to be hashed to know where this says no.
func (s *Service) found(token app.Secret, stored storedToken) bool {
	return len(stored.finder) > 0 && subtle.ConstantTimeCompare(s.finder(token, stored.hash), stored.finder) == 1
}

// matches hashes one token at a time: an attacker can make the server wait, but not run out of memory.
func (s *Service) matches(ctx context.Context, token app.Secret, hash string) bool {
	select {
	case s.hashes <- struct{}{}:
		defer func() { <-s.hashes }()
	case <-ctx.Done():
		return false
	}
	ok, err := verifyToken(token, hash)
	return ok && err == nil
}

// hash is hashToken, one at a time as in matches.
func (s *Service) hash(ctx context.Context, password app.Secret) (string, error) {
	select {
	case s.hashes <- struct{}{}:
		defer func() { <-s.hashes }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return hashToken(password), nil
}

// Cost of argon2id: OWASP's second profile, about 30 ms. That is for passwords, which are checked for length and against the commonest; a token is long by itself.
const (
	argonTime   = 2
	argonMemory = 19 << 10 // KiB
	argonLanes  = 1
	argonKey    = 32
)

// hashToken returns the token's hash in PHC form.
func hashToken(token app.Secret) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // ends the program rather than fail
	key := argon2.IDKey([]byte(token.Reveal()), salt, argonTime, argonMemory, argonLanes, argonKey)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, enc.EncodeToString(salt), enc.EncodeToString(key))
}

// verifyToken compares in constant time. The hash's own cost counts, within bounds, so that a later cost can differ.
func verifyToken(token app.Secret, hash string) (bool, error) {
	var version int
	var memory, time uint32
	var lanes uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("access: the admin token's hash has an unknown form")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false, errors.New("access: the admin token's hash has an unknown version")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &lanes); err != nil || memory > 1<<20 || time < 1 || time > 100 || lanes < 1 {
		return false, errors.New("access: the admin token's hash has an unknown cost")
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("access: admin token's hash: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) < 16 || len(want) > 64 {
		return false, errors.New("access: the admin token's hash is damaged")
	}
	got := argon2.IDKey([]byte(token.Reveal()), salt, time, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
