package executions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Reader reads executions from the store, or from a live local run.
type Reader struct{ cfg Config }

// ByID returns an execution by id, for agents. Errors: CodeNotFound; CodeProfileRevoked if its
// profile was revoked or deleted.
func (s *Reader) ByID(ctx context.Context, id string) (app.Execution, error) {
	if !app.IsExecutionID(id) {
		return app.Execution{}, app.E(app.CodeNotFound, "there is no such execution",
			"Check the execution_id: it is what POST /execute returned; GET /executions lists the profile's own.")
	}
	lookup := s.cfg.Keyring.Lookup(secrets.Execs, id)
	x, ok, err := s.readCached(ctx, id, lookup)
	if err == nil && !ok {
		err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
			x, err = tx.Executions.ByLookup(ctx, lookup)
			return err
		})
	}
	if err != nil {
		return app.Execution{}, err
	}
	s.addProgress(&x.Execution)
	if x.ProfileGone {
		return app.Execution{}, app.ErrProfileRevoked()
	}
	x.ID = id
	return x.Execution, nil
}

// ByHandle returns an execution by handle, for people. Errors: CodeNotFound.
func (s *Reader) ByHandle(ctx context.Context, handle string) (app.Execution, error) {
	var x store.Execution
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		x, err = tx.Executions.ByHandle(ctx, handle)
		return err
	})
	if err != nil {
		return app.Execution{}, err
	}
	s.addProgress(&x.Execution)
	return openID(s.cfg.Keyring, x)
}

func openID(keyring *secrets.Keyring, x store.Execution) (app.Execution, error) {
	id, err := keyring.Open(secrets.Execs, secrets.ExecutionRow(x.Handle), x.SealedID)
	if err != nil {
		return app.Execution{}, fmt.Errorf("executions: open the id of execution %s: %w", x.Handle, err)
	}
	x.ID = string(id)
	return x.Execution, nil
}

// Output returns what a terminal execution printed and returned.
func (s *Reader) Output(ctx context.Context, handle string) (out app.Output, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = tx.Executions.Output(ctx, handle)
		return err
	})
	return out, err
}

// LiveOutput returns the redacted output so far, for people only. Agents get OutputSoFar. ok is
// false if the execution doesn't run here.
func (s *Reader) LiveOutput(handle string) (out app.Output, ok bool) {
	run := s.cfg.Runner.Find(handle)
	if run == nil {
		return app.Output{}, false
	}
	return run.Output(), true
}

// Submitted returns the redacted script and inputs. inputs is JSON, or nil.
func (s *Reader) Submitted(ctx context.Context, handle string) (script string, inputs json.RawMessage, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		given, err := tx.Executions.Script(ctx, handle)
		if script = given.Clean; given.CleanInputs != "" {
			inputs = json.RawMessage(given.CleanInputs)
		}
		return err
	})
	return script, inputs, err
}

// Exchanges returns the LLM exchanges in order.
func (s *Reader) Exchanges(ctx context.Context, handle string) (list []app.LLMExchange, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Questions.Exchanges(ctx, handle)
		return err
	})
	return list, err
}

// Network returns the ledger in order; so far, if the execution runs here.
func (s *Reader) Network(ctx context.Context, handle string) (list []app.Connection, err error) {
	if run := s.cfg.Runner.Find(handle); run != nil {
		return run.Network(), nil
	}
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Executions.Connections(ctx, handle)
		return err
	})
	return list, err
}

// Redactions returns what was masked, by channel. It is empty until the execution has ended. Agents
// may see keys and counts only: the rest helps to evade the redactor.
func (s *Reader) Redactions(ctx context.Context, handle string) (hits map[string]redact.Hits, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		hits, err = tx.Executions.RedactionHits(ctx, handle)
		return err
	})
	return hits, err
}

// Await waits up to atMost until x is terminal or asks, and returns it. An answer makes the status
// running, so agents don't get the same question again.
func (s *Reader) Await(ctx context.Context, x app.Execution, atMost time.Duration) (app.Execution, error) {
	nudges := s.cfg.Hub.Subscribe(live.Execution(x.Handle))
	defer nudges.Close()
	limit := time.NewTimer(atMost)
	defer limit.Stop()
	for {
		if !s.busy(x.Handle) {
			now, err := s.ByID(ctx, x.ID)
			if err != nil || hasNews(now) {
				return now, err
			}
		}
		select {
		case <-nudges.C():
		case <-limit.C:
			return s.ByID(ctx, x.ID)
		case <-ctx.Done():
			return app.Execution{}, context.Cause(ctx)
		}
	}
}

// busy reports whether a local execution runs without a question. The store then has no news.
func (s *Reader) busy(handle string) bool {
	run := s.cfg.Runner.Find(handle)
	return run != nil && !run.Asks()
}

// hasNews reports whether an agent must react to the execution.
func hasNews(x app.Execution) bool { return x.Status.Terminal() || x.Status == app.StatusAwaitingLLM }

// SentValues lists the newest requests that carried a credential's sealed value.
func (s *Reader) SentValues(ctx context.Context, credentialID string) (list []app.SentValue, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Executions.SentValues(ctx, credentialID)
		return err
	})
	return list, err
}
