package credentials

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Resolver gives executions the values of their policies' keys.
type Resolver struct {
	store  *store.Store
	now    func() time.Time
	values *Values
	vault  *Vault
}

// Resolve opens a policy's current values in order, and counts their use. A missing value is
// CodeMissingValue; a sealed one without remaining hosts is CodeForbidden. Values in Vault are read
// now. The caller has to Release the values' Hold.
func (s *Resolver) Resolve(ctx context.Context, handle string, p app.Policy) ([]secrets.Resolved, error) {
	if len(p.Keys) == 0 {
		return nil, nil
	}
	var opened map[string]secrets.Resolved
	var credentials map[string]app.Credential
	err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
		if opened, credentials, err = s.values.openWith(ctx, tx, credentialsOf(p), nil); err != nil {
			return err
		}
		return s.CountUse(ctx, tx, p)
	})
	if err != nil {
		return nil, err
	}
	hold, err := s.vault.read(ctx, inVault(p.Keys, credentials), opened)
	if err != nil {
		return nil, err
	}
	values, err := s.bind(handle, p.Keys, opened, credentials)
	if err != nil {
		s.vault.Release(hold)
		return nil, err
	}
	for i := range values {
		values[i].Hold = hold
	}
	return values, nil
}

// ResolveIn is Resolve within a transaction, without CountUse and Hold. here is false if Resolve
// must be called: to read Vault without holding up writers, or to explain missing values. After an
// error the transaction is over.
func (s *Resolver) ResolveIn(
	ctx context.Context, tx *store.Tx, handle string, p app.Policy, known Opened,
) (values []secrets.Resolved, here bool, err error) {
	if len(p.Keys) == 0 {
		return nil, true, nil
	}
	opened, credentials, err := s.values.openWith(ctx, tx, credentialsOf(p), known)
	if errors.Is(err, secrets.ErrOpen) {
		return nil, false, nil
	}
	if err != nil || len(inVault(p.Keys, credentials)) > 0 {
		return nil, false, err
	}
	values, missing := s.bind(handle, p.Keys, opened, credentials)
	return values, missing == nil, nil
}

// CountUse counts an execution's use of a policy's values.
func (s *Resolver) CountUse(ctx context.Context, tx *store.Tx, p app.Policy) error {
	if len(p.Keys) == 0 {
		return nil
	}
	return tx.Credentials.CountUse(ctx, credentialsOf(p), s.now())
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

func (s *Resolver) bind(
	handle string, keys []app.Grant, opened map[string]secrets.Resolved, credentials map[string]app.Credential,
) ([]secrets.Resolved, error) {
	values := make([]secrets.Resolved, len(keys))
	for i, g := range keys {
		v, ok := opened[g.CredentialID]
		if !ok {
			return nil, app.E(app.CodeMissingValue, fmt.Sprintf("the key %s has no value", g.Key),
				"Ask the person to set a value for it in Airlock, then submit again.")
		}
		v.Key = g.Key
		if v.Mode == app.ModeSealed {
			if err := s.restrictToGrant(&v, handle, g, credentials[g.CredentialID]); err != nil {
				return nil, err
			}
		}
		values[i] = v
	}
	return values, nil
}

// restrictToGrant sets a sealed value's hosts and placeholder.
func (s *Resolver) restrictToGrant(v *secrets.Resolved, handle string, g app.Grant, c app.Credential) error {
	if v.Hosts = app.Within(g.Hosts, c.Hosts); len(v.Hosts) == 0 {
		return app.E(app.CodeForbidden,
			fmt.Sprintf("the credential behind the key %s does not belong to any host of that key any more", g.Key),
			"Ask the person to add the host to the credential again, or use a new profile.")
	}
	v.Places, v.Headers, v.PlainHTTP = c.Places, app.SealedHeaders(c.Headers), c.PlainHTTP
	v.Placeholder = s.values.placeholder(handle, g.Key, *v)
	return nil
}

// Earlier returns earlier Vault values of the same credentials, for masking. A value replaced
// during a script stays secret.
func (s *Resolver) Earlier(values []secrets.Resolved) []secrets.Resolved {
	var list []secrets.Resolved
	for _, v := range values {
		if !v.Elsewhere() || v.Mode == app.ModePlain {
			continue
		}
		others, _ := s.vault.memory.latest(v.Credential, v.Reference)
		for _, o := range others {
			if !o.Equal(v.Secret) && app.CheckValue(v.Mode, o) == nil {
				list = append(list, secrets.Resolved{Key: v.Key, Mode: v.Mode, Secret: o, Held: secrets.ByAnother})
			}
		}
	}
	return list
}

// KnownValues returns a profile's secret values, to mask texts outside an execution. It adds
// decrypted values to known. Of Vault values it returns those read lately; all is false if one was
// not read yet.
func (s *Resolver) KnownValues(
	ctx context.Context, p app.Profile, known Opened,
) (values []secrets.Resolved, all bool, err error) {
	if len(p.Keys) == 0 {
		return nil, true, nil
	}
	ids := make([]string, len(p.Keys))
	for i, k := range p.Keys {
		ids[i] = k.CredentialID
	}
	var credentials map[string]app.Credential
	var opened map[string]secrets.Resolved
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		opened, credentials, err = s.values.openWith(ctx, tx, ids, known)
		return err
	})
	all = true
	for _, k := range p.Keys {
		list := []secrets.Resolved{opened[k.CredentialID]}
		if c := credentials[k.CredentialID]; c.Source == app.SourceVault {
			var seen bool
			list, seen = s.vault.recentValues(c)
			all = all && (seen || c.Mode == app.ModePlain)
		}
		for _, v := range list {
			if v.Credential == "" || v.Mode == app.ModePlain {
				continue
			}
			v.Key = k.Name
			if v.Mode == app.ModeSealed {
				v.Placeholder = s.values.placeholder(p.Handle, k.Name, v)
			}
			values = append(values, v)
		}
	}
	return values, all, err
}
