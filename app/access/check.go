package access

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/store"
)

// OpenForCheck opens the value of a sealed credential for one test request of a person. Other modes are CodeInvalidField, since only
// sealed values are put in on the way out, and a credential without a value is CodeMissingValue. What comes from Vault is read there now; hold is to be Released.
func (s *Service) OpenForCheck(ctx context.Context, by app.Actor, name string) (credential app.Credential, value app.Secret, hold string, err error) {
	if err := peopleOnly(by); err != nil {
		return app.Credential{}, app.Secret{}, "", err
	}
	var c app.Credential
	var opened map[string]Value
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if c, err = tx.Credential(ctx, name); err != nil {
			return err
		}
		if c.Mode != app.ModeSealed {
			return app.Invalid("mode", fmt.Sprintf("%s is %s; only sealed credentials can be tested", c.Name, c.Mode),
				"Airlock sends nothing with other credentials itself: their values go to scripts.")
		}
		opened, err = s.openValues(ctx, tx, []string{c.ID})
		return err
	})
	if err == nil && c.Source == app.SourceVault {
		hold, err = s.readVault(ctx, []wanted{{"credential " + c.Name, c}}, opened)
	}
	if err != nil {
		return app.Credential{}, app.Secret{}, "", err
	}
	v, ok := opened[c.ID]
	if !ok {
		return app.Credential{}, app.Secret{}, "", app.E(app.CodeMissingValue, fmt.Sprintf("the credential %s has no value yet", c.Name), "Set the value, then test it.")
	}
	return c, v.Secret, hold, nil
}

// Check is the outcome of a test request. Its texts are not secret.
type Check struct {
	At      time.Time
	Problem string // "" if it worked
	Detail  string // for the audit log: what was sent where, and what came back
	Aside   bool   // only for the audit log: it was made with other settings than scripts meet
}

// RecordCheck keeps a test's outcome with the credential, unless it was made aside, and in the audit log. People only.
func (s *Service) RecordCheck(ctx context.Context, by app.Actor, c app.Credential, outcome Check) error {
	if err := peopleOnly(by); err != nil {
		return err
	}
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if !outcome.Aside {
			if err := tx.RecordCheck(ctx, c.ID, outcome.At, outcome.Problem); err != nil {
				return err
			}
		}
		return tx.Audit(ctx, s.event(by, "credential.test", c.Name, outcome.Detail))
	})
	if err == nil {
		s.cfg.Hub.Publish(live.Credentials)
	}
	return err
}
