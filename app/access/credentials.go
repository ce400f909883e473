package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Credentials lists all by name.
func (s *Service) Credentials(ctx context.Context) (list []app.Credential, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Credentials(ctx)
		return err
	})
	return list, err
}

// Credential finds one by name.
func (s *Service) Credential(ctx context.Context, name string) (c app.Credential, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		c, err = tx.Credential(ctx, name)
		return err
	})
	return c, err
}

// CredentialInput is what a person sets. An empty Value leaves the value as it is; so do an empty Mode and nil Hosts. A new credential
// without a Mode is sealed if it has hosts and refused if it has none: that a script gets the value itself is to be said, not left out.
type CredentialInput struct {
	Name        string
	Description string
	Service     *string // nil leaves it as it is
	Mode        app.Mode
	Hosts       []app.Host
	Places      []app.Place // nil leaves them as they are; headers for a new credential
	Headers     []string    // nil leaves them as they are; empty means the usual ones
	PlainHTTP   *bool       // nil leaves it as it is
	Value       app.Secret
	Source      app.Source // "" leaves it as it is; local for a new credential without a Reference
	Seen        time.Time  // UpdatedAt of the credential that the person looked at: if it changed since, CodeConflict; zero skips that
	Reference   string     // into Vault, such as secret/data/oracle#password: the value comes from there; "" leaves it as it is
}

// SetCredential creates the credential or changes it; a value becomes a new version that every profile sees from its next execution on. People only.
func (s *Service) SetCredential(ctx context.Context, by app.Actor, in CredentialInput) (app.Credential, error) {
	return s.setCredential(ctx, by, in, false)
}

// CreateCredential is SetCredential that refuses an existing name with CodeConflict.
func (s *Service) CreateCredential(ctx context.Context, by app.Actor, in CredentialInput) (app.Credential, error) {
	return s.setCredential(ctx, by, in, true)
}

func (s *Service) setCredential(ctx context.Context, by app.Actor, in CredentialInput, create bool) (app.Credential, error) {
	if err := peopleOnly(by); err != nil {
		return app.Credential{}, err
	}
	if err := checkInput(&in); err != nil {
		return app.Credential{}, err
	}
	if err := s.checkSource(&in); err != nil {
		return app.Credential{}, err
	}
	var c app.Credential
	var handles []string
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		before, err := tx.Credential(ctx, in.Name)
		switch {
		case err == nil && create:
			return app.E(app.CodeConflict, fmt.Sprintf("there is already a credential named %s", in.Name), "Choose another name, or change that credential.")
		case app.CodeOf(err) == app.CodeNotFound:
			before, err = s.insertCredential(ctx, tx, by, in)
		case err == nil && !in.Seen.IsZero() && !in.Seen.Equal(before.UpdatedAt):
			return app.E(app.CodeConflict, "the credential was changed after you looked at it", "Look at it as it is now; nothing of what you sent was saved.")
		}
		if err != nil {
			return err
		}
		if c, err = s.applyInput(ctx, tx, by, before, in); err != nil {
			return err
		}
		handles, err = tx.ProfilesWith(ctx, c.ID)
		return err
	})
	if err != nil {
		return app.Credential{}, err
	}
	s.cfg.Hub.Publish(live.Credentials)
	s.publishProfiles(handles...)
	return c, nil
}

// checkInput brings the input into canonical form.
func checkInput(in *CredentialInput) error {
	if err := app.CheckName(in.Name); err != nil {
		return err
	}
	if err := app.CheckText("description", in.Description, app.MaxDescription); err != nil {
		return err
	}
	if in.Service != nil {
		if err := app.CheckText("service", *in.Service, app.MaxService); err != nil {
			return err
		}
	}
	if in.Hosts != nil {
		list, err := reachableHosts(in.Hosts)
		if err != nil {
			return err
		}
		for _, h := range list {
			if h.KeyReference() != "" {
				return app.Invalid("hosts", fmt.Sprintf("a credential can't belong to %s: references to keys are for profiles", h), "Write the host name itself.")
			}
		}
		in.Hosts = list
	}
	if in.Places != nil {
		places, err := app.CanonicalPlaces(in.Places)
		if err != nil {
			return err
		}
		in.Places = places
	}
	if in.Headers != nil {
		headers, err := app.CanonicalHeaders(in.Headers)
		if err != nil {
			return err
		}
		in.Headers = headers
	}
	if in.Mode == "" {
		return nil
	}
	_, err := app.ParseMode(string(in.Mode))
	return err
}

func (s *Service) insertCredential(ctx context.Context, tx *store.Tx, by app.Actor, in CredentialInput) (app.Credential, error) {
	c := app.Credential{
		ID: app.NewID(), Name: in.Name, Description: in.Description, Mode: in.Mode, Hosts: in.Hosts, Places: in.Places, Headers: in.Headers, Source: app.SourceLocal,
		CreatedAt: s.now(), UpdatedAt: s.now(),
	}
	if c.Places == nil {
		c.Places = []app.Place{app.PlaceHeader}
	}
	if in.PlainHTTP != nil {
		c.PlainHTTP = *in.PlainHTTP
	}
	if in.Service != nil {
		c.Service = *in.Service
	}
	switch {
	case c.Mode == "" && len(c.Hosts) > 0:
		c.Mode = app.ModeSealed
	case c.Mode == "":
		return app.Credential{}, app.Invalid("mode", "a new credential needs the hosts that its value may go to, or a mode",
			"Name its hosts, such as api.example.com: then scripts get a placeholder only (sealed). Choose injected only if scripts must have the value itself, and plain if it is not secret.")
	}
	if in.Reference != "" {
		c.Source, c.Reference = app.SourceVault, in.Reference
	}
	if err := checkMode(c); err != nil {
		return app.Credential{}, err
	}
	if err := tx.InsertCredential(ctx, c); err != nil {
		return app.Credential{}, err
	}
	return c, tx.Audit(ctx, s.event(by, "credential.create", c.Name, createDetail(c)))
}

// applyInput saves what differs from before, and returns the credential as it then stands.
func (s *Service) applyInput(ctx context.Context, tx *store.Tx, by app.Actor, before app.Credential, in CredentialInput) (app.Credential, error) {
	c := before
	c.Description = in.Description
	if in.Mode != "" {
		c.Mode = in.Mode
	}
	if in.Hosts != nil {
		c.Hosts = in.Hosts
	}
	if in.Places != nil {
		c.Places = in.Places
	}
	if in.Headers != nil {
		c.Headers = in.Headers
	}
	if in.PlainHTTP != nil {
		c.PlainHTTP = *in.PlainHTTP
	}
	if in.Service != nil {
		c.Service = *in.Service
	}
	if err := checkMode(c); err != nil {
		return app.Credential{}, err
	}
	if err := s.setSource(ctx, tx, &c, before, in); err != nil {
		return app.Credential{}, err
	}
	if err := s.checkValue(ctx, tx, c, in.Value, c.Mode != before.Mode); err != nil {
		return app.Credential{}, err
	}
	if !in.Value.Empty() { // first, while its mode and hosts are those that it had
		if err := tx.EraseValue(ctx, c.ID, s.now()); err != nil {
			return app.Credential{}, err
		}
	}
	shown := c.Mode != before.Mode || !sameHosts(c.Hosts, before.Hosts) || !samePlaces(c, before)
	if shown || c.Description != before.Description || c.Service != before.Service || c.Source != before.Source || c.Reference != before.Reference {
		if err := s.updateCredential(ctx, tx, by, before, c); err != nil {
			return app.Credential{}, err
		}
	}
	if !in.Value.Empty() {
		if err := s.rotate(ctx, tx, by, c, in.Value); err != nil {
			return app.Credential{}, err
		}
		shown = shown || !c.HasValue()
	}
	if shown {
		if err := tx.TouchProfilesWith(ctx, c.ID, s.now()); err != nil {
			return app.Credential{}, err
		}
	}
	return tx.Credential(ctx, c.Name)
}

// checkValue checks the value that will be current: the new one, or under another mode the one that stays.
func (s *Service) checkValue(ctx context.Context, tx *store.Tx, c app.Credential, value app.Secret, modeChanged bool) error {
	if value.Empty() {
		if !modeChanged || c.Version == 0 || c.Source == app.SourceVault {
			return nil
		}
		opened, err := s.openValues(ctx, tx, []string{c.ID})
		if err != nil {
			return err
		}
		value = opened[c.ID].Secret
	}
	return app.CheckValue(c.Mode, value)
}

func (s *Service) updateCredential(ctx context.Context, tx *store.Tx, by app.Actor, before, c app.Credential) error {
	c.UpdatedAt = s.now()
	if !c.UpdatedAt.After(before.UpdatedAt) {
		c.UpdatedAt = before.UpdatedAt.Add(time.Millisecond)
	}
	if err := tx.UpdateCredential(ctx, c, before.UpdatedAt); err != nil {
		return err
	}
	var parts []string
	if c.Description != before.Description {
		parts = append(parts, "another description")
	}
	if c.Service != before.Service {
		parts = append(parts, "another service")
	}
	if c.Mode != before.Mode {
		parts = append(parts, fmt.Sprintf("mode %s instead of %s", c.Mode, before.Mode))
	}
	if !sameHosts(c.Hosts, before.Hosts) {
		parts = append(parts, "hosts "+orNone(app.BriefHosts(c.Hosts)))
	}
	if c.Source != before.Source || c.Reference != before.Reference {
		parts = append(parts, sourceDetail(c))
	}
	if !samePlaces(c, before) {
		parts = append(parts, placesDetail(c))
	}
	return tx.Audit(ctx, s.event(by, "credential.change", c.Name, "Changed: "+strings.Join(parts, "; ")+"."))
}

// rotate seals the value as the next version.
func (s *Service) rotate(ctx context.Context, tx *store.Tx, by app.Actor, c app.Credential, value app.Secret) error {
	version := c.Version + 1
	err := tx.InsertValue(ctx, store.Value{
		CredentialID: c.ID, Version: version, KeyID: s.cfg.Keyring.KeyID(), By: by, At: s.now(),
		Sealed: s.cfg.Keyring.Seal(secrets.Values, secrets.ValueRow(c.ID, version), []byte(value.Reveal())),
	})
	if err != nil {
		return err
	}
	return tx.Audit(ctx, s.event(by, "credential.rotate", c.Name, fmt.Sprintf("Set version %d of the value.", version)))
}

// DeleteCredential removes it with all versions. CodeInUse while a locked, usable profile has a key linked to it. Keys of other profiles lose
// their link. People only.
func (s *Service) DeleteCredential(ctx context.Context, by app.Actor, name string) error {
	if err := peopleOnly(by); err != nil {
		return err
	}
	var handles []string
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		c, err := tx.Credential(ctx, name)
		if err != nil {
			return err
		}
		if handles, err = tx.ProfilesWith(ctx, c.ID); err != nil {
			return err
		}
		if err := s.checkUnused(ctx, tx, name, handles); err != nil {
			return err
		}
		if err := tx.TouchProfilesWith(ctx, c.ID, s.now()); err != nil {
			return err
		}
		if err := tx.DeleteCredential(ctx, c.ID); err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(by, "credential.delete", name, "Deleted with all versions of its value."))
	})
	if err != nil {
		return err
	}
	s.cfg.Hub.Publish(live.Credentials)
	s.publishProfiles(handles...)
	return nil
}

func (s *Service) checkUnused(ctx context.Context, tx *store.Tx, name string, handles []string) error {
	users := 0
	for _, handle := range handles {
		p, err := tx.ProfileByHandle(ctx, handle)
		if err != nil {
			return err
		}
		if p.State(s.now()) == app.StateLocked {
			users++
		}
	}
	if users > 0 {
		return app.E(app.CodeInUse, inUse(users, name), "Revoke or delete those profiles first; the credential's page lists them.")
	}
	return nil
}

func inUse(users int, name string) string {
	if users == 1 {
		return "a locked profile uses the credential " + name
	}
	return fmt.Sprintf("%d locked profiles use the credential %s", users, name)
}
