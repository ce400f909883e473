package credentials

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// applyInput saves the changes in the input and returns the credential.
func (s *Registry) applyInput(
	ctx context.Context, tx *store.Tx, by app.Actor, before app.Credential, in Input,
) (app.Credential, error) {
	c := before
	in.onto(&c)
	if err := checkMode(c); err != nil {
		return app.Credential{}, err
	}
	if err := s.setSource(ctx, tx, &c, before, in); err != nil {
		return app.Credential{}, err
	}
	if err := s.checkValue(ctx, tx, c, in.Value, c.Mode != before.Mode); err != nil {
		return app.Credential{}, err
	}
	if !in.Value.Empty() { // before mode and hosts change: the old value is searched for where it belonged
		if err := tx.Values.Erase(ctx, c.ID, s.now()); err != nil {
			return app.Credential{}, err
		}
	}
	shown := c.Mode != before.Mode || !app.SameHosts(c.Hosts, before.Hosts) || !samePlaces(c, before)
	if shown || c.Description != before.Description || c.Service != before.Service || !sameSource(c, before) {
		if err := s.updateCredential(ctx, tx, by, before, c); err != nil {
			return app.Credential{}, err
		}
	}
	if !in.Value.Empty() {
		if err := s.rotate(ctx, tx, by, c, in.Value); err != nil {
			return app.Credential{}, err
		}
		shown = shown || !c.HasValue() || c.Mode == app.ModePlain // it may name a host
	}
	if shown {
		if err := tx.Credentials.TouchProfiles(ctx, c.ID, s.now()); err != nil {
			return app.Credential{}, err
		}
	}
	return tx.Credentials.ByName(ctx, c.Name)
}

// checkValue checks the new value, or under another mode the present one.
func (s *Registry) checkValue(
	ctx context.Context, tx *store.Tx, c app.Credential, value app.Secret, modeChanged bool,
) error {
	if value.Empty() {
		if !modeChanged || c.Version == 0 || c.Source == app.SourceVault {
			return nil
		}
		opened, err := s.values.Open(ctx, tx, []string{c.ID})
		if err != nil {
			return err
		}
		value = opened[c.ID].Secret
	}
	return app.CheckValue(c.Mode, value)
}

func (s *Registry) updateCredential(ctx context.Context, tx *store.Tx, by app.Actor, before, c app.Credential) error {
	c.UpdatedAt = s.now()
	if !c.UpdatedAt.After(before.UpdatedAt) {
		c.UpdatedAt = before.UpdatedAt.Add(time.Millisecond)
	}
	if err := tx.Credentials.Update(ctx, c, before.UpdatedAt); err != nil {
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
	if !app.SameHosts(c.Hosts, before.Hosts) {
		parts = append(parts, "hosts "+orNone(app.BriefHosts(c.Hosts)))
	}
	if !sameSource(c, before) {
		parts = append(parts, sourceDetail(c))
	}
	if !samePlaces(c, before) {
		parts = append(parts, placesDetail(c))
	}
	detail := "Changed: " + strings.Join(parts, "; ") + "."
	return tx.Audit(ctx, app.NewEvent(s.now(), by, "credential.change", c.Name, detail))
}

func (s *Registry) rotate(ctx context.Context, tx *store.Tx, by app.Actor, c app.Credential, value app.Secret) error {
	version := c.Version + 1
	err := tx.Values.Insert(ctx, store.Value{
		CredentialID: c.ID, Version: version, KeyID: s.keyring.KeyID(), By: by, At: s.now(),
		Sealed: s.keyring.Seal(secrets.Values, secrets.ValueRow(c.ID, version), []byte(value.Reveal())),
	})
	if err != nil {
		return err
	}
	action := "credential.rotate"
	if version == 1 {
		action = "credential.set"
	}
	detail := fmt.Sprintf("Set version %d of the value.", version)
	return tx.Audit(ctx, app.NewEvent(s.now(), by, action, c.Name, detail))
}
