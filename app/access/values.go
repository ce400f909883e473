package access

import (
	"context"
	"errors"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
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
	// Of sealed values only.
	Placeholder string     // what the script gets instead of Secret
	Hosts       []app.Host // where it may go: the grant's, as far as the credential still belongs there
	Places      []app.Place
	Headers     []string // where a header is a place: in these
	PlainHTTP   bool
	// Of values from Vault only.
	Hold      string // what to Release when the value is not needed any more; the same for all values of one Resolve; "" if nothing was lent
	Content   string // stands for Version in placeholders
	Reference app.Reference
}

// Elsewhere reports whether the value is not of this store.
func (v Value) Elsewhere() bool { return v.Content != "" }

// Resolve opens the current values of a policy's keys for the profile with the handle, in the policy's order, and counts their use. A missing one is
// CodeMissingValue naming the key; a sealed one that belongs to none of the key's hosts any more is CodeForbidden. Values in Vault are read now; one that can't be
// is an error that names the key and the reason. Whoever gets values must Release them.
func (s *Service) Resolve(ctx context.Context, handle string, p app.Policy) ([]Value, error) {
	if len(p.Keys) == 0 {
		return nil, nil
	}
	var opened map[string]Value
	var credentials map[string]app.Credential
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if opened, credentials, err = s.openWith(ctx, tx, credentialsOf(p)); err != nil {
			return err
		}
		return s.CountUse(ctx, tx, p)
	})
	if err != nil {
		return nil, err
	}
	hold, err := s.readVault(ctx, inVault(p.Keys, credentials), opened)
	if err != nil {
		return nil, err
	}
	values, err := s.bound(handle, p.Keys, opened, credentials)
	if err != nil {
		s.Release(hold)
		return nil, err
	}
	for i := range values {
		values[i].Hold = hold
	}
	return values, nil
}

// ResolveIn is Resolve in a transaction that stores more about the execution, without counting the use: see CountUse. here is false if Resolve has to be asked instead, since a
// value is in Vault, which is not asked while others wait for the database, or to say why there are none. There is nothing to Release. After an error
// nothing more may be done in the transaction: SQLite may have ended it.
func (s *Service) ResolveIn(ctx context.Context, tx *store.Tx, handle string, p app.Policy) (values []Value, here bool, err error) {
	if len(p.Keys) == 0 {
		return nil, true, nil
	}
	opened, credentials, err := s.openWith(ctx, tx, credentialsOf(p))
	if errors.Is(err, secrets.ErrOpen) {
		return nil, false, nil
	}
	if err != nil || len(inVault(p.Keys, credentials)) > 0 {
		return nil, false, err
	}
	values, missing := s.bound(handle, p.Keys, opened, credentials)
	return values, missing == nil, nil
}

// CountUse counts that the values of a policy's keys were given to an execution.
func (s *Service) CountUse(ctx context.Context, tx *store.Tx, p app.Policy) error {
	if len(p.Keys) == 0 {
		return nil
	}
	return tx.CountUse(ctx, credentialsOf(p), s.now())
}

func credentialsOf(p app.Policy) []string {
	ids := make([]string, len(p.Keys))
	for i, g := range p.Keys {
		ids[i] = g.CredentialID
	}
	return ids
}

// inVault returns which of the keys have their value in Vault.
func inVault(keys []app.Grant, credentials map[string]app.Credential) []wanted {
	var list []wanted
	for _, g := range keys {
		if c := credentials[g.CredentialID]; c.Source == app.SourceVault {
			list = append(list, wanted{"key " + g.Key, c})
		}
	}
	return list
}

// bound puts a policy's keys and the values of their credentials together.
func (s *Service) bound(handle string, keys []app.Grant, opened map[string]Value, credentials map[string]app.Credential) ([]Value, error) {
	values := make([]Value, len(keys))
	for i, g := range keys {
		v, ok := opened[g.CredentialID]
		if !ok {
			return nil, app.E(app.CodeMissingValue, fmt.Sprintf("the key %s has no value", g.Key), "Ask the person to set a value for it in Airlock, then submit again.")
		}
		v.Key = g.Key
		if v.Mode == app.ModeSealed {
			if err := s.seal(&v, handle, g, credentials[g.CredentialID]); err != nil {
				return nil, err
			}
		}
		values[i] = v
	}
	return values, nil
}

// seal fills in what a sealed value comes with.
func (s *Service) seal(v *Value, handle string, g app.Grant, c app.Credential) error {
	if v.Hosts = app.Within(g.Hosts, c.Hosts); len(v.Hosts) == 0 {
		return app.E(app.CodeForbidden, fmt.Sprintf("the credential behind the key %s does not belong to any host of that key any more", g.Key),
			"Ask the person to add the host to the credential again, or use a new profile.")
	}
	v.Places, v.Headers, v.PlainHTTP = c.Places, app.SealedHeaders(c.Headers), c.PlainHTTP
	v.Placeholder = s.placeholder(handle, g.Key, *v)
	return nil
}

// placeholder returns what a profile's scripts hold instead of a value: the same in every execution and under every instance key, so that
// results can be compared, and worth nothing under another profile, for another key or after the value was replaced.
func (s *Service) placeholder(handle, key string, v Value) string {
	row := fmt.Sprintf("placeholder:%s:%s:%s:%d", handle, key, v.Credential, v.Version)
	if v.Content != "" {
		row = fmt.Sprintf("placeholder:%s:%s:%s:content:%s", handle, key, v.Credential, v.Content)
	}
	return swap.Placeholder(s.cfg.Keyring.Lookup(secrets.Placeholders, row))
}

// KnownValues returns the non-plain values of a profile's linked keys for masking text of that profile outside an execution: the current ones of this store, and those that
// were read from Vault lately, which is not asked. all is false if Vault holds one that was not read yet.
func (s *Service) KnownValues(ctx context.Context, p app.Profile) (values []redact.Value, all bool, err error) {
	if len(p.Keys) == 0 {
		return nil, true, nil
	}
	ids := make([]string, len(p.Keys))
	for i, k := range p.Keys {
		ids[i] = k.CredentialID
	}
	var credentials map[string]app.Credential
	var opened map[string]Value
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		opened, credentials, err = s.openWith(ctx, tx, ids)
		return err
	})
	all = true
	for _, k := range p.Keys {
		list := []Value{opened[k.CredentialID]}
		if c := credentials[k.CredentialID]; c.Source == app.SourceVault {
			var seen bool
			list, seen = s.seenInVault(c)
			all = all && (seen || c.Mode == app.ModePlain)
		}
		for _, v := range list {
			if v.Credential == "" || v.Mode == app.ModePlain {
				continue
			}
			known := redact.Value{Name: k.Name, Secret: v.Secret}
			if v.Mode == app.ModeSealed {
				known.Placeholder = s.placeholder(p.Handle, k.Name, v)
			}
			values = append(values, known)
		}
	}
	return values, all, err
}

// openValues opens the current values of those credentials that have one in this store. Key is left empty.
func (s *Service) openValues(ctx context.Context, tx *store.Tx, ids []string) (map[string]Value, error) {
	opened, _, err := s.openWith(ctx, tx, ids)
	return opened, err
}

// openWith is openValues, and returns also the credentials as they are now, those without a value among them.
func (s *Service) openWith(ctx context.Context, tx *store.Tx, ids []string) (opened map[string]Value, credentials map[string]app.Credential, err error) {
	if credentials, err = tx.CredentialsByID(ctx, ids); err != nil {
		return nil, nil, err
	}
	sealed, err := tx.Values(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	opened = make(map[string]Value, len(credentials))
	for id, v := range sealed {
		if credentials[id].Source == app.SourceVault {
			continue // erased, as a rule
		}
		plain, err := s.cfg.Keyring.Open(secrets.Values, secrets.ValueRow(id, v.Version), v.Sealed)
		if err != nil {
			return nil, nil, fmt.Errorf("access: value of credential %s: %w", credentials[id].Name, err)
		}
		opened[id] = Value{Credential: id, Version: v.Version, Mode: credentials[id].Mode, Secret: app.NewSecret(string(plain))}
	}
	return opened, credentials, nil
}
