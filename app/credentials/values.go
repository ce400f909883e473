package credentials

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Values opens the values that the store has.
type Values struct{ keyring *secrets.Keyring }

// Opened caches decrypted secrets by sealed form, for one submission. It is for one goroutine; nil
// keeps nothing.
type Opened map[string]app.Secret

// Open opens the stored current values of credentials, by id. Key is left empty.
func (s *Values) Open(ctx context.Context, tx *store.Tx, ids []string) (map[string]secrets.Resolved, error) {
	opened, _, err := s.openWith(ctx, tx, ids, nil)
	return opened, err
}

// openWith is Open and also returns the credentials, with those without value. It looks in known
// first.
func (s *Values) openWith(
	ctx context.Context, tx *store.Tx, ids []string, known Opened,
) (opened map[string]secrets.Resolved, credentials map[string]app.Credential, err error) {
	if credentials, err = tx.Credentials.ByID(ctx, ids); err != nil {
		return nil, nil, err
	}
	sealed, err := tx.Values.Current(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	opened = make(map[string]secrets.Resolved, len(credentials))
	for id, v := range sealed {
		if credentials[id].Source == app.SourceVault {
			continue // erased, as a rule
		}
		secret, err := s.unseal(id, v, known)
		if err != nil {
			return nil, nil, fmt.Errorf("credentials: value of credential %s: %w", credentials[id].Name, err)
		}
		opened[id] = secrets.Resolved{Mode: credentials[id].Mode, Secret: secret, Credential: id, Version: v.Version}
	}
	return opened, credentials, nil
}

func (s *Values) unseal(id string, v store.Value, known Opened) (app.Secret, error) {
	if secret, ok := known[string(v.Sealed)]; ok {
		return secret, nil
	}
	plain, err := s.keyring.Open(secrets.Values, secrets.ValueRow(id, v.Version), v.Sealed)
	if err != nil {
		return app.Secret{}, err
	}
	secret := app.NewSecret(string(plain))
	if known != nil {
		known[string(v.Sealed)] = secret
	}
	return secret, nil
}

// placeholder returns what a profile's scripts get instead of a value. It is stable across
// executions and instance keys, so results can be compared. Another profile, key or value has
// another one.
func (s *Values) placeholder(handle, key string, v secrets.Resolved) string {
	row := fmt.Sprintf("placeholder:%s:%s:%s:%d", handle, key, v.Credential, v.Version)
	if v.Content != "" {
		row = fmt.Sprintf("placeholder:%s:%s:%s:content:%s", handle, key, v.Credential, v.Content)
	}
	return swap.Placeholder(s.keyring.Lookup(secrets.Placeholders, row))
}

// content returns a keyed hash that identifies a Vault value's version. Some engines count no
// versions, and a destroyed secret restarts at 1.
func (s *Values) content(credentialID string, value app.Secret) string {
	return hex.EncodeToString(s.keyring.Lookup(secrets.Placeholders, "content:"+credentialID+":"+value.Reveal()))
}
