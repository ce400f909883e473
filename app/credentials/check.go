package credentials

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// OpenForCheck opens a sealed credential's value for one test request. People only. Other modes are
// CodeInvalidField; a missing value is CodeMissingValue. A value in Vault is read now; the caller
// has to Release hold.
func (s *Registry) OpenForCheck(
	ctx context.Context, by app.Actor, name string,
) (credential app.Credential, value app.Secret, hold string, err error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Credential{}, app.Secret{}, "", err
	}
	var c app.Credential
	var opened map[string]secrets.Resolved
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		if c, err = tx.Credentials.ByName(ctx, name); err != nil {
			return err
		}
		if c.Mode != app.ModeSealed {
			return app.Invalid("mode",
				fmt.Sprintf("%s is %s; only sealed credentials can be tested", c.Name, c.Mode),
				"Airlock sends nothing with other credentials itself: their values go to scripts.")
		}
		opened, err = s.values.Open(ctx, tx, []string{c.ID})
		return err
	})
	if err == nil && c.Source == app.SourceVault {
		hold, err = s.vault.read(ctx, []wanted{{"credential " + c.Name, c}}, opened)
	}
	if err != nil {
		return app.Credential{}, app.Secret{}, "", err
	}
	v, ok := opened[c.ID]
	if !ok {
		return app.Credential{}, app.Secret{}, "", app.E(app.CodeMissingValue,
			fmt.Sprintf("the credential %s has no value yet", c.Name), "Set the value, then test it.")
	}
	return c, v.Secret, hold, nil
}

// Check is the outcome of a test request. Its texts are not secret.
type Check struct {
	At      time.Time
	Problem string // why it failed; "" if it didn't
	Proved  bool   // the host took the value, and refused the same request without it
	Detail  string // for the audit log: what was sent where, and what came back
	Aside   bool   // made with other settings than scripts meet: only audited
}

// RecordCheck audits a test's outcome and stores it, unless it was made aside. People only.
func (s *Registry) RecordCheck(ctx context.Context, by app.Actor, c app.Credential, outcome Check) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		if !outcome.Aside {
			if err := tx.Credentials.RecordCheck(ctx, c.ID, outcome.At, outcome.Problem, outcome.Proved); err != nil {
				return err
			}
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "credential.test", c.Name, outcome.Detail))
	})
	if err == nil {
		s.hub.Publish(live.Credentials)
	}
	return err
}
