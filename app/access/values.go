package access

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Value is one resolved key of an execution.
type Value struct {
	Key        string
	Credential string // id
	Version    int
	Mode       app.Mode // of the credential now, which may differ from the policy's
	Secret     app.Secret
}

// Resolve opens the current values of a policy's keys, in its order, and counts their use. A missing one is CodeMissingValue naming the key.
func (s *Service) Resolve(ctx context.Context, p app.Policy) ([]Value, error) {
	if len(p.Keys) == 0 {
		return nil, nil
	}
	ids := make([]string, len(p.Keys))
	for i, g := range p.Keys {
		ids[i] = g.CredentialID
	}
	var opened map[string]Value
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if opened, err = s.openValues(ctx, tx, ids); err != nil {
			return err
		}
		return tx.CountUse(ctx, ids, s.now())
	})
	if err != nil {
		return nil, err
	}
	values := make([]Value, len(p.Keys))
	for i, g := range p.Keys {
		v, ok := opened[g.CredentialID]
		if !ok {
			return nil, app.E(app.CodeMissingValue, fmt.Sprintf("the key %s has no value", g.Key), "Ask the person to set a value for it in Airlock, then submit again.")
		}
		// A value that was sealed must not be handed to a script because this version can't substitute it.
		if v.Mode == app.ModeSealed {
			return nil, app.E(app.CodeMissingValue, fmt.Sprintf("the key %s is sealed, which this Airlock can't do yet", g.Key), "Ask the person to run a newer Airlock, or to choose injected.")
		}
		v.Key = g.Key
		values[i] = v
	}
	return values, nil
}

// KnownValues returns the non-plain current values of a profile's linked keys for masking text of that profile outside an execution.
func (s *Service) KnownValues(ctx context.Context, handle string) ([]redact.Value, error) {
	var values []redact.Value
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		p, err := tx.ProfileByHandle(ctx, handle)
		if err != nil {
			return err
		}
		ids := make([]string, 0, len(p.Keys))
		for _, k := range p.Keys {
			ids = append(ids, k.CredentialID)
		}
		opened, err := s.openValues(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, k := range p.Keys {
			if v, ok := opened[k.CredentialID]; ok && v.Mode != app.ModePlain {
				values = append(values, redact.Value{Name: k.Name, Secret: v.Secret})
			}
		}
		return nil
	})
	return values, err
}

// openValues opens the current values of those credentials that have one. Key is left empty.
func (s *Service) openValues(ctx context.Context, tx *store.Tx, ids []string) (map[string]Value, error) {
	credentials, err := tx.CredentialsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	sealed, err := tx.Values(ctx, ids)
	if err != nil {
		return nil, err
	}
	opened := make(map[string]Value, len(sealed))
	for id, v := range sealed {
		plain, err := s.cfg.Keyring.Open(secrets.Values, valueSeal(id, v.Version), v.Sealed)
		if err != nil {
			return nil, fmt.Errorf("access: value of credential %s: %w", credentials[id].Name, err)
		}
		opened[id] = Value{Credential: id, Version: v.Version, Mode: credentials[id].Mode, Secret: app.NewSecret(string(plain))}
	}
	return opened, nil
}
