package access

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/store"
)

// errNoVault is what a credential with a reference leads to where no Vault is configured.
var errNoVault = app.E(app.CodeMissingValue, "it comes from Vault, and this Airlock has no Vault", "Ask the operator to set VAULT_ADDR, or the person to store the value in Airlock.")

// wanted is one value to read from Vault: its credential, under the name that errors tell.
type wanted struct {
	name       string // "key X" or "credential X"
	credential app.Credential
}

// readVault reads the values in Vault, each path once, and adds them to opened by credential. What Vault lent is held under the name that is returned, which is the
// caller's to Release whatever happens next. Errors name the key and the reason; nothing is held then.
func (s *Service) readVault(ctx context.Context, list []wanted, opened map[string]Value) (hold string, err error) {
	if len(list) == 0 {
		return "", nil
	}
	if s.cfg.Vault == nil {
		return "", unresolved(list[0].name, errNoVault)
	}
	refs := make([]app.Reference, len(list))
	for i, w := range list {
		if refs[i], err = app.ParseReference(w.credential.Reference); err != nil {
			return "", unresolved(w.name, err)
		}
	}
	fetched, failed := s.cfg.Vault.Fetch(ctx, refs)
	hold, err = s.cfg.Leases.Take(ctx, fetched.Leases)
	var shared *leases.SharedError
	if errors.As(err, &shared) {
		first := slices.IndexFunc(refs, func(r app.Reference) bool { return r.Path == shared.Path })
		return "", unresolved(list[first].name, err)
	}
	if err == nil {
		err = s.openFetched(list, refs, fetched, failed, opened)
	}
	if err != nil {
		s.Release(hold)
		return "", err
	}
	return hold, nil
}

func (s *Service) openFetched(list []wanted, refs []app.Reference, f vault.Fetched, failed error, opened map[string]Value) error {
	var read *vault.ReadError
	if errors.As(failed, &read) {
		w := list[slices.Index(refs, read.Reference)]
		err := unresolved(w.name, failed)
		if err.Code == app.CodeForbidden || err.Code == app.CodeMissingValue { // else Vault is at fault, not the reference
			s.followed(w.credential, err.Message)
		}
		return err
	}
	if failed != nil {
		return failed
	}
	for i, w := range list {
		v := f.Values[refs[i]]
		if err := app.CheckValue(w.credential.Mode, v.Secret); err != nil {
			err := unfit(w.name, err)
			s.followed(w.credential, err.Message)
			return err
		}
		s.followed(w.credential, "")
		s.vault.add(w.credential, refs[i], v.Secret, slices.ContainsFunc(f.Leases, func(l vault.Lease) bool { return l.Path == refs[i].Path }))
		opened[w.credential.ID] = s.fromVault(w.credential, refs[i], v)
	}
	return nil
}

func (s *Service) fromVault(c app.Credential, ref app.Reference, v vault.Value) Value {
	return Value{Credential: c.ID, Version: v.Version, Mode: c.Mode, Secret: v.Secret, Content: s.content(c.ID, v.Secret), Reference: ref}
}

// content tells values of one credential apart without telling them: what a version number is to local values. Vault has no such number for all of its engines, and
// begins again at 1 when a secret was destroyed.
func (s *Service) content(credentialID string, value app.Secret) string {
	return hex.EncodeToString(s.cfg.Keyring.Lookup(secrets.Placeholders, "content:"+credentialID+":"+value.Reveal()))
}

// unresolved says of a key why its value could not be read.
func unresolved(name string, err error) *app.Error {
	told := &app.Error{Code: app.CodeInternal, Message: "Airlock failed", Hint: "The operator finds the reason in its log."}
	errors.As(err, &told)
	return &app.Error{Code: told.Code, Message: fmt.Sprintf("the value of the %s could not be read from Vault: %s", name, told.Message), Hint: told.Hint, Cause: err}
}

// unfit says of a key that its value was read and can't be used.
func unfit(name string, err error) *app.Error {
	told := &app.Error{}
	errors.As(err, &told)
	return &app.Error{Code: app.CodeMissingValue, Message: fmt.Sprintf("the value of the %s, as it stands in Vault, can't be used: %s", name, told.Message),
		Hint: "Ask the person to change the value in Vault, or the credential's mode.", Cause: err}
}

// Release gives back what Vault lent for values that Resolve or OpenForCheck returned, and reports whether Vault had ended it before. "" is nothing.
func (s *Service) Release(hold string) (lost bool) {
	if hold == "" {
		return false
	}
	return s.cfg.Leases.End(hold)
}

// Earlier returns values that were read from Vault for the same credentials as these before, for masking: a value that was replaced while a script runs is none the less secret.
func (s *Service) Earlier(values []Value) []Known {
	var list []Known
	for _, v := range values {
		if !v.Elsewhere() || v.Mode == app.ModePlain {
			continue
		}
		others, _ := s.vault.latest(v.Credential, v.Reference)
		for _, o := range others {
			if !o.Equal(v.Secret) && app.CheckValue(v.Mode, o) == nil {
				list = append(list, Known{Key: v.Key, Secret: o})
			}
		}
	}
	return list
}

// seenInVault returns the values of a credential that were read lately.
func (s *Service) seenInVault(c app.Credential) (values []Value, ok bool) {
	ref, err := app.ParseReference(c.Reference)
	if err != nil {
		return nil, false
	}
	list, ok := s.vault.latest(c.ID, ref)
	for _, secret := range list {
		if app.CheckValue(c.Mode, secret) == nil {
			values = append(values, s.fromVault(c, ref, vault.Value{Secret: secret}))
		}
	}
	return values, ok
}

// sourceDetail says for the audit log where a value comes from.
func sourceDetail(c app.Credential) string {
	if c.Source == app.SourceVault {
		return "the value comes from Vault, " + c.Reference
	}
	return "the value is kept in Airlock"
}

// Known is a value to mask.
type Known struct {
	Key    string
	Secret app.Secret
}

// VaultStatus is how the Vault and what it lent stand.
type VaultStatus struct {
	vault.Health
	Leases int    // that are out
	Failed int    // of those, how many could not be given back yet
	Why    string // why one of them could not
}

// Vault asks the Vault how it is; ok is false if none is configured.
func (s *Service) Vault(ctx context.Context) (status VaultStatus, ok bool, err error) {
	if s.cfg.Vault == nil {
		return VaultStatus{}, false, nil
	}
	status.Health = s.cfg.Vault.Health(ctx)
	var why error
	var told *app.Error
	if status.Failed, why = s.cfg.Leases.Failed(); errors.As(why, &told) {
		status.Why = told.Message
	}
	status.Leases, err = s.cfg.Leases.Open(ctx)
	return status, true, err
}

// HasVault reports whether credentials may refer to Vault.
func (s *Service) HasVault() bool { return s.cfg.Vault != nil }

// InspectCredential looks whether a credential's value resolves in Vault now. It returns nothing for a local one. People only.
func (s *Service) InspectCredential(ctx context.Context, by app.Actor, c app.Credential) (*vault.Inspection, error) {
	if err := peopleOnly(by); err != nil {
		return nil, err
	}
	if c.Source != app.SourceVault {
		return nil, nil
	}
	ref, err := app.ParseReference(c.Reference)
	if s.cfg.Vault == nil {
		err = errNoVault
	}
	if err != nil {
		var told *app.Error
		errors.As(err, &told)
		return &vault.Inspection{Problem: told.Message, Hint: told.Hint}, nil
	}
	in := s.cfg.Vault.Inspect(ctx, ref, func(v app.Secret) error { return app.CheckValue(c.Mode, v) })
	return &in, nil
}

// setSource applies what a person said about where the value comes from. A value that Airlock held is erased as soon as it comes from Vault.
func (s *Service) setSource(ctx context.Context, tx *store.Tx, c *app.Credential, before app.Credential, in CredentialInput) error {
	switch {
	case in.Reference != "":
		c.Source, c.Reference = app.SourceVault, in.Reference
	case in.Source == app.SourceLocal:
		c.Source, c.Reference = app.SourceLocal, ""
	}
	switch {
	case c.Source == app.SourceVault && !in.Value.Empty():
		return app.Invalid("value", "the value of "+c.Name+" comes from Vault", "Change it in Vault, or keep the value in Airlock instead.")
	case c.Source == before.Source:
		return nil
	case c.Source == app.SourceVault:
		return tx.EraseValue(ctx, c.ID, s.now())
	case before.Source == app.SourceVault && in.Value.Empty() && c.Version > 0:
		return app.Invalid("value", "Airlock holds no value of "+c.Name+" any more", "Type the value.")
	}
	return nil
}

// checkSource accepts a reference where there is a Vault.
func (s *Service) checkSource(in *CredentialInput) error {
	switch in.Source {
	case "":
	case app.SourceLocal:
		if in.Reference != "" {
			return app.Invalid("reference", "a value that is kept in Airlock has no reference", "Leave the reference out, or choose Vault.")
		}
	case app.SourceVault:
		if in.Reference == "" {
			return app.Invalid("reference", "it is not said where in Vault the value is", "Write path#field, such as secret/data/oracle#password.")
		}
	default:
		return app.Invalid("source", fmt.Sprintf("source %q is not known", app.Clip(string(in.Source), 40)), "Use local or vault.")
	}
	if in.Reference == "" {
		return nil
	}
	if s.cfg.Vault == nil {
		return app.Invalid("reference", "this Airlock has no Vault", "Set VAULT_ADDR and how Airlock logs in there, then start it again.")
	}
	_, err := app.ParseReference(in.Reference)
	return err
}
