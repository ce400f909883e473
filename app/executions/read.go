package executions

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// ReadSubmitted returns the redacted script and inputs. inputs is JSON, or nil.
func (s *Reader) ReadSubmitted(ctx context.Context, handle string) (script string, inputs json.RawMessage, err error) {
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
		if !s.isBusy(x.Handle) {
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

// isBusy reports whether a local execution runs without a question. The store then has no news.
func (s *Reader) isBusy(handle string) bool {
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

// InputFiles returns an execution's input files, by name.
func (s *Reader) InputFiles(ctx context.Context, handle string) (list []app.InputFile, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		given, err := tx.Executions.InputFiles(ctx, handle)
		for _, f := range given {
			list = append(list, f.InputFile)
		}
		return err
	})
	return list, err
}

// Artifacts returns an execution's artifacts in order. It remembers executions without any.
func (s *Reader) Artifacts(ctx context.Context, x app.Execution) (list []app.Artifact, err error) {
	e, cached := s.cfg.Cache.cache.Get(x.ID)
	if cached && e.leftNothing {
		return nil, nil
	}
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Executions.Artifacts(ctx, x.Handle)
		return err
	})
	if err == nil && cached && len(list) == 0 {
		e.leftNothing = true
		s.cfg.Cache.add(e)
	}
	return list, err
}

// OpenArtifact opens an artifact's content. The caller closes it. CodeNotFound for an unknown name,
// or content no longer kept.
func (s *Reader) OpenArtifact(ctx context.Context, handle, name string) (a app.Artifact, content io.ReadCloser,
	err error) {
	var blob store.Blob
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		a, blob, err = tx.Executions.Artifact(ctx, handle, name)
		return err
	})
	if err == nil {
		content, err = s.cfg.Files.Open(ctx, blob.ID)
	}
	return a, content, err
}

// addProgress adds start and run time of a local execution. The store learns both at the end.
func (s *Reader) addProgress(x *app.Execution) {
	if x.Status != app.StatusRunning && x.Status != app.StatusAwaitingLLM {
		return
	}
	if run := s.cfg.Runner.Find(x.Handle); run != nil {
		p := run.Progress()
		x.StartedAt, x.RunTime = p.Started.Truncate(time.Millisecond), p.Ran
	}
}

// Phase returns the current phase of an execution that has not ended.
func (s *Reader) Phase(x app.Execution) app.Phase {
	switch run := s.cfg.Runner.Find(x.Handle); {
	case x.Status == app.StatusAwaitingApproval:
		return app.PhaseAwaitingApproval
	case x.Status == app.StatusPending:
		return app.PhaseQueued
	case run != nil:
		return run.Progress().Phase
	case x.Status == app.StatusAwaitingLLM:
		return app.PhaseAwaitingLLM
	}
	return app.PhaseRunning
}

// OutputSoFar returns a local execution's output, redacted as at its end. ok is false if it doesn't
// run here.
func (s *Reader) OutputSoFar(ctx context.Context, x app.Execution) (out app.Output, ok bool, err error) {
	run := s.cfg.Runner.Find(x.Handle)
	if run == nil {
		return out, false, nil
	}
	out, err = run.OutputSoFar(ctx)
	return out, true, err
}
