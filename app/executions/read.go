package executions

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Execution returns one by its id, for agents. Errors: CodeNotFound; CodeProfileRevoked if its profile was revoked or
// deleted.
func (s *Service) Execution(ctx context.Context, id string) (app.Execution, error) {
	if !app.IsExecutionID(id) {
		return app.Execution{}, app.E(app.CodeNotFound, "there is no such execution",
			"Check the execution_id: it is what POST /execute returned; GET /executions lists the profile's own.")
	}
	lookup := s.cfg.Keyring.Lookup(secrets.Execs, id)
	x, ok, err := s.cached(ctx, id, lookup)
	if err == nil && !ok {
		err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
			x, err = tx.ExecutionByLookup(ctx, lookup)
			return err
		})
	}
	if err != nil {
		return app.Execution{}, err
	}
	if x.ProfileGone {
		return app.Execution{}, app.E(app.CodeProfileRevoked, "the profile was revoked",
			"Ask the person who runs Airlock for a new profile, or create one with POST /profiles.")
	}
	x.ID = id
	return x.Execution, nil
}

// ByHandle returns one by its handle, for people. CodeNotFound if there is none.
func (s *Service) ByHandle(ctx context.Context, handle string) (app.Execution, error) {
	var x store.Execution
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		x, err = tx.ExecutionByHandle(ctx, handle)
		return err
	})
	if err != nil {
		return app.Execution{}, err
	}
	return openID(s.cfg.Keyring, x)
}

// openID adds the id.
func openID(keyring *secrets.Keyring, x store.Execution) (app.Execution, error) {
	id, err := keyring.Open(secrets.Execs, secrets.ExecutionRow(x.Handle), x.SealedID)
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: open the id of execution %s: %w", x.Handle, err)
	}
	x.ID = string(id)
	return x.Execution, nil
}

// Output returns what a terminal execution printed and returned.
func (s *Service) Output(ctx context.Context, handle string) (out app.Output, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = tx.Output(ctx, handle)
		return err
	})
	return out, err
}

// LiveOutput returns the redacted output so far, for people only; ok is false if the execution doesn't run here.
func (s *Service) LiveOutput(handle string) (out app.Output, ok bool) {
	run := s.cfg.Runner.Find(handle)
	if run == nil {
		return app.Output{}, false
	}
	return run.Output(), true
}

// Script returns the script as a person may see it (redacted).
func (s *Service) Script(ctx context.Context, handle string) (text string, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		script, err := tx.ExecutionScript(ctx, handle)
		text = script.Clean
		return err
	})
	return text, err
}

// Exchanges returns the LLM exchanges in order.
func (s *Service) Exchanges(ctx context.Context, handle string) (list []app.LLMExchange, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Exchanges(ctx, handle)
		return err
	})
	return list, err
}

// Network returns the ledger in order; so far, if the execution runs here.
func (s *Service) Network(ctx context.Context, handle string) (list []app.Connection, err error) {
	if run := s.cfg.Runner.Find(handle); run != nil {
		return run.Network(), nil
	}
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Connections(ctx, handle)
		return err
	})
	return list, err
}

// Redactions returns what was masked, by channel, for people only. It is empty until the execution has ended.
func (s *Service) Redactions(ctx context.Context, handle string) (hits map[string]redact.Hits, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		hits, err = tx.RedactionHits(ctx, handle)
		return err
	})
	return hits, err
}
