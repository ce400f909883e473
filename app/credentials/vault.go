package credentials

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
)

// errNoVault is the error for a reference without a configured Vault.
var errNoVault = app.E(app.CodeMissingValue, "it comes from Vault, and this Airlock has no Vault",
	"Ask the operator to set VAULT_ADDR, or the person to store the value in Airlock.")

// Vault reads values from HashiCorp Vault.
type Vault struct {
	hub    *live.Hub
	now    func() time.Time
	client *vault.Client // nil: there is none
	leases *leases.Keeper
	values *Values
	memory *vaultMemory

	mu         sync.Mutex
	unreadable map[string]unread // by credential
}

// wanted is one value to read from Vault, named as in errors.
type wanted struct {
	name       string // "key X" or "credential X"
	credential app.Credential
}

// read reads values, each path once, and adds them to opened by credential. The caller has to
// Release hold. Errors name the key and the reason; nothing is held then.
func (s *Vault) read(ctx context.Context, list []wanted, opened map[string]secrets.Resolved) (hold string, err error) {
	if len(list) == 0 {
		return "", nil
	}
	if s.client == nil {
		return "", unresolvedError(list[0].name, errNoVault)
	}
	refs := make([]app.Reference, len(list))
	for i, w := range list {
		if refs[i], err = app.ParseReference(w.credential.Reference); err != nil {
			return "", unresolvedError(w.name, err)
		}
	}
	fetched, failed := s.client.Fetch(ctx, refs)
	hold, err = s.leases.Take(ctx, fetched.Leases)
	var shared *leases.SharedError
	if errors.As(err, &shared) {
		first := slices.IndexFunc(refs, func(r app.Reference) bool { return r.Path == shared.Path })
		return "", unresolvedError(list[first].name, err)
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

func (s *Vault) openFetched(
	list []wanted, refs []app.Reference, f vault.Fetched, failed error, opened map[string]secrets.Resolved,
) error {
	var read *vault.ReadError
	if errors.As(failed, &read) {
		w := list[slices.Index(refs, read.Reference)]
		err := unresolvedError(w.name, failed)
		if err.Code == app.CodeForbidden ||
			err.Code == app.CodeMissingValue { // else Vault is at fault, not the reference
			s.noteFollowed(w.credential, err.Message)
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
			s.noteFollowed(w.credential, err.Message)
			return err
		}
		s.noteFollowed(w.credential, "")
		lent := slices.ContainsFunc(f.Leases, func(l vault.Lease) bool { return l.Path == refs[i].Path })
		s.memory.add(w.credential, refs[i], v.Secret, lent)
		opened[w.credential.ID] = s.fromVault(w.credential, refs[i], v)
	}
	return nil
}

func (s *Vault) fromVault(c app.Credential, ref app.Reference, v vault.Value) secrets.Resolved {
	return secrets.Resolved{
		Mode: c.Mode, Secret: v.Secret, Credential: c.ID, Version: v.Version, Content: s.values.content(c.ID, v.Secret),
		Reference: ref,
	}
}

func unresolvedError(name string, err error) *app.Error {
	shown := &app.Error{Code: app.CodeInternal, Message: "Airlock failed",
		Hint: "The operator finds the reason in its log."}
	errors.As(err, &shown)
	return &app.Error{
		Code:    shown.Code,
		Message: fmt.Sprintf("the value of the %s could not be read from Vault: %s", name, shown.Message),
		Hint:    shown.Hint, Cause: err,
	}
}

// unfit is the error for a value that was read but is unusable.
func unfit(name string, err error) *app.Error {
	shown := &app.Error{}
	errors.As(err, &shown)
	return &app.Error{
		Code:    app.CodeMissingValue,
		Message: fmt.Sprintf("the value of the %s, as it stands in Vault, can't be used: %s", name, shown.Message),
		Hint:    "Ask the person to change the value in Vault, or the credential's mode.", Cause: err,
	}
}

// Release gives a hold's leases back, and reports whether Vault had ended them. hold comes from
// Resolve or OpenForCheck; "" is nothing.
func (s *Vault) Release(hold string) (lost bool) {
	if hold == "" {
		return false
	}
	return s.leases.End(hold)
}

// recentValues returns the values of a credential that were read lately.
func (s *Vault) recentValues(c app.Credential) (values []secrets.Resolved, ok bool) {
	ref, err := app.ParseReference(c.Reference)
	if err != nil {
		return nil, false
	}
	list, ok := s.memory.latest(c.ID, ref)
	for _, secret := range list {
		if app.CheckValue(c.Mode, secret) == nil {
			values = append(values, s.fromVault(c, ref, vault.Value{Secret: secret}))
		}
	}
	return values, ok
}

// VaultStatus is the health of the Vault and its leases.
type VaultStatus struct {
	vault.Health
	Leases int    // that are out
	Failed int    // of those, could not be given back yet
	Why    string // of one failure
}

// Status asks the Vault for its health; ok is false without one.
func (s *Vault) Status(ctx context.Context) (status VaultStatus, ok bool, err error) {
	if s.client == nil {
		return VaultStatus{}, false, nil
	}
	status.Health = s.client.Health(ctx)
	var why error
	var shown *app.Error
	if status.Failed, why = s.leases.CountFailed(); errors.As(why, &shown) {
		status.Why = shown.Message
	}
	status.Leases, err = s.leases.Open(ctx)
	return status, true, err
}

// IsConfigured reports whether credentials may refer to Vault.
func (s *Vault) IsConfigured() bool { return s.client != nil }

// Inspect checks whether a credential's value can be read from Vault now. People only. It returns
// nil for a local credential.
func (s *Vault) Inspect(ctx context.Context, by app.Actor, c app.Credential) (*vault.Inspection, error) {
	if err := by.PeopleOnly(); err != nil {
		return nil, err
	}
	if c.Source != app.SourceVault {
		return nil, nil
	}
	ref, err := app.ParseReference(c.Reference)
	if s.client == nil {
		err = errNoVault
	}
	if err != nil {
		var shown *app.Error
		errors.As(err, &shown)
		return &vault.Inspection{Problem: shown.Message, Hint: shown.Hint}, nil
	}
	in := s.client.Inspect(ctx, ref, func(v app.Secret) error { return app.CheckValue(c.Mode, v) })
	return &in, nil
}
