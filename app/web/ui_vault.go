package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/profileview"
)

// vaultChoice is where a credential's value comes from, as it is stored.
func (s *Server) vaultChoice(cred app.Credential) credentialview.VaultChoice {
	return credentialview.VaultChoice{Offered: s.cfg.Access.HasVault() || cred.Source == app.SourceVault, Source: cred.Source, Reference: cred.Reference, Held: heldHere(cred)}
}

// heldHere reports whether Airlock holds a value of the credential.
func heldHere(cred app.Credential) bool { return cred.Source != app.SourceVault && cred.HasValue() }

// erasing refuses to put a reference in the place of a value that Airlock holds, unless it was said that this shall be erased.
func erasing(fields url.Values, cred app.Credential, in access.CredentialInput) error {
	if in.Source != app.SourceVault || !heldHere(cred) || fields.Get("erase") == "yes" {
		return nil
	}
	return app.Invalid("erase", "Airlock holds a value of "+cred.Name+", and a reference would erase it", "Tick that it shall be erased, if it is in Vault.")
}

// vaultFinding is vaultChoice with what Vault says of the reference now.
func (s *Server) vaultFinding(c echo.Context, cred app.Credential) (credentialview.VaultChoice, error) {
	choice := s.vaultChoice(cred)
	in, err := s.cfg.Access.InspectCredential(c.Request().Context(), actorOf(c), cred)
	if err != nil || in == nil {
		return choice, err
	}
	choice.Finding = &credentialview.VaultFinding{Engine: in.Engine, Lent: in.Lease, Version: in.Version, Created: in.Created, Problem: sentence(in.Problem), Hint: in.Hint}
	return choice, nil
}

// lookAtOnce bounds how many references one page looks up side by side.
const lookAtOnce = 8

// unresolved says which of a profile's keys come from Vault and can't be read there now. All are looked at side by side, so that it takes no longer than a few seconds
// for a Vault that doesn't answer; what was not looked at by then is not told.
func (s *Server) unresolved(c echo.Context, p app.Profile) ([]profileview.Unresolved, error) {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
	defer cancel()
	credentials, err := s.cfg.Access.Credentials(c.Request().Context())
	if err != nil {
		return nil, err
	}
	found, failed := make([]*vault.Inspection, len(p.Keys)), make([]error, len(p.Keys))
	used := make([]app.Credential, len(p.Keys))
	by, slots := actorOf(c), make(chan struct{}, lookAtOnce)
	var look sync.WaitGroup
	for i, k := range p.Keys {
		at := slices.IndexFunc(credentials, func(c app.Credential) bool { return c.ID == k.CredentialID })
		if at < 0 || credentials[at].Source != app.SourceVault {
			continue
		}
		used[i] = credentials[at]
		look.Go(func() {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
				found[i], failed[i] = s.cfg.Access.InspectCredential(ctx, by, used[i])
			case <-ctx.Done():
			}
		})
	}
	look.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	var list []profileview.Unresolved
	for i, k := range p.Keys {
		if in := found[i]; in != nil && in.Problem != "" {
			list = append(list, profileview.Unresolved{Key: k.Name, Credential: used[i].Name, Problem: sentence(in.Problem), Hint: in.Hint})
		}
	}
	return list, nil
}

// typedSource takes what a form says about where the value comes from. What is typed in the field of the other source doesn't count, and a form without the fields
// changes nothing.
func (s *Server) typedSource(fields url.Values, cred app.Credential, in *access.CredentialInput) credentialview.VaultChoice {
	choice := s.vaultChoice(cred)
	if !choice.Offered || !fields.Has("source") {
		return choice
	}
	choice.Source, choice.Reference = app.Source(fields.Get("source")), strings.TrimSpace(fields.Get("reference"))
	in.Source = choice.Source
	if choice.Source != app.SourceVault {
		return choice
	}
	in.Value = app.Secret{}
	if in.Reference = choice.Reference; choice.Reference == cred.Reference && cred.Source == app.SourceVault {
		in.Source, in.Reference = "", "" // as it is, also while no Vault is configured
	}
	return choice
}
