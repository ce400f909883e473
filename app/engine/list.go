package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Execution returns one by its id, for agents. CodeNotFound if there is none; CodeProfileRevoked if its profile was revoked or deleted.
func (e *Engine) Execution(ctx context.Context, id string) (app.Execution, error) {
	if !app.IsExecutionID(id) {
		return app.Execution{}, app.E(app.CodeNotFound, "there is no such execution", "Check the execution_id: it is what POST /execute returned; GET /executions lists the profile's own.")
	}
	lookup := e.cfg.Keyring.Lookup(secrets.Execs, id)
	x, known, err := e.known(ctx, id, lookup)
	if err == nil && !known {
		err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
			x, err = tx.ExecutionByLookup(ctx, lookup)
			return err
		})
	}
	if err != nil {
		return app.Execution{}, err
	}
	if x.ProfileGone {
		return app.Execution{}, app.E(app.CodeProfileRevoked, "the profile was revoked", "Ask the person who runs Airlock for a new profile, or create one with POST /profiles.")
	}
	x.ID = id
	return x.Execution, nil
}

// ByHandle returns one for people.
func (e *Engine) ByHandle(ctx context.Context, handle string) (app.Execution, error) {
	var x store.Execution
	err := e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		x, err = tx.ExecutionByHandle(ctx, handle)
		return err
	})
	if err != nil {
		return app.Execution{}, err
	}
	return e.opened(x)
}

// opened adds the id.
func (e *Engine) opened(x store.Execution) (app.Execution, error) {
	id, err := e.cfg.Keyring.Open(secrets.Execs, secrets.ExecutionRow(x.Handle), x.SealedID)
	if err != nil {
		return app.Execution{}, fmt.Errorf("engine: open the id of execution %s: %w", x.Handle, err)
	}
	x.ID = string(id)
	return x.Execution, nil
}

// Await returns the execution when it is terminal or waits for the LLM, or as it stands when the time is over.
// Answering a question makes the status running, so an agent that has just answered is not told of the same question again.
func (e *Engine) Await(ctx context.Context, id string, atMost time.Duration) (app.Execution, error) {
	x, err := e.Execution(ctx, id)
	if err != nil || settled(x) || atMost <= 0 {
		return x, err
	}
	return e.Follow(ctx, x, atMost)
}

// Follow is Await for an execution that was just read.
func (e *Engine) Follow(ctx context.Context, x app.Execution, atMost time.Duration) (app.Execution, error) {
	nudges := e.cfg.Hub.Subscribe(live.Execution(x.Handle))
	defer nudges.Close()
	limit := time.NewTimer(atMost)
	defer limit.Stop()
	for {
		if !e.busy(x.Handle) {
			now, err := e.Execution(ctx, x.ID)
			if err != nil || settled(now) {
				return now, err
			}
		}
		select {
		case <-nudges.C():
		case <-limit.C:
			return e.Execution(ctx, x.ID)
		case <-ctx.Done():
			return app.Execution{}, context.Cause(ctx)
		}
	}
}

// busy reports whether an execution runs here and asks nothing: then the store can't say that it is settled.
func (e *Engine) busy(handle string) bool {
	r := e.running(handle)
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.question == nil
}

func settled(x app.Execution) bool { return x.Status.Terminal() || x.Status == app.StatusAwaitingLLM }

// Filter selects executions. Zero fields don't filter.
type Filter struct {
	ProfileHandle string
	Status        app.Status
	From, To      time.Time // created in [From, To)
	Credential    string    // id: had a value of it
	Host          string    // in its network ledger
	Text          string    // words in its script, output, error or result
	Before        string    // handle: only what is older than that execution (keyset paging)
	Limit         int       // 1 to 100; 0 means 50
}

// List returns executions newest first, and whether there are more. Request is not filled in.
func (e *Engine) List(ctx context.Context, f Filter) (list []app.Execution, more bool, err error) {
	page, err := e.page(ctx, f)
	if err != nil {
		return nil, false, err
	}
	list = make([]app.Execution, len(page.Executions))
	for i, x := range page.Executions {
		if list[i], err = e.opened(x); err != nil {
			return nil, false, err
		}
	}
	return list, page.Next != "", nil
}

// Found is one page of a list for people.
type Found struct {
	Executions []app.Execution // newest first; ID and Request are not filled in
	Next       string          // handle to go on before; "" at the end
	Unfinished bool            // only so much was looked through; there may be more at Next
}

// Search is List for people, who need no ids. With a bounded amount of work per call it may find nothing and still have more to look through.
func (e *Engine) Search(ctx context.Context, f Filter) (Found, error) {
	page, err := e.page(ctx, f)
	if err != nil {
		return Found{}, err
	}
	found := Found{Executions: make([]app.Execution, len(page.Executions)), Next: page.Next, Unfinished: page.Unfinished}
	for i, x := range page.Executions {
		found.Executions[i] = x.Execution
	}
	return found, nil
}

func (e *Engine) page(ctx context.Context, f Filter) (page store.ExecutionPage, err error) {
	limit := min(max(f.Limit, 0), 100)
	if limit == 0 {
		limit = 50
	}
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		page, err = tx.Executions(ctx, store.ExecutionFilter{ProfileHandle: f.ProfileHandle, Status: f.Status, From: f.From, To: f.To, Credential: f.Credential, Host: f.Host,
			Text: f.Text, Before: f.Before, Limit: limit})
		return err
	})
	return page, err
}

// Stats are counts over all executions of a profile.
type Stats struct {
	Total, Failed int64           // Failed: status error or timeout
	Recent        []app.Execution // the last 50, newest first
}

// Stats counts a profile's executions, also of one that was deleted.
func (e *Engine) Stats(ctx context.Context, profileHandle string) (Stats, error) {
	var s Stats
	err := e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		s.Total, s.Failed, err = tx.ExecutionCounts(ctx, profileHandle)
		return err
	})
	if err != nil {
		return Stats{}, err
	}
	s.Recent, _, err = e.List(ctx, Filter{ProfileHandle: profileHandle})
	return s, err
}

// Output returns what a terminal execution printed and returned.
func (e *Engine) Output(ctx context.Context, handle string) (out app.Output, err error) {
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = tx.Output(ctx, handle)
		return err
	})
	return out, err
}

// LiveOutput returns the redacted output so far of a running execution, for people only; ok is false if it isn't running here.
func (e *Engine) LiveOutput(handle string) (out app.Output, ok bool) {
	r := e.running(handle)
	if r == nil {
		return app.Output{}, false
	}
	return r.output(), true
}

// Script returns the script as a person may see it (redacted).
func (e *Engine) Script(ctx context.Context, handle string) (text string, err error) {
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		script, err := tx.ExecutionScript(ctx, handle)
		text = script.Clean
		return err
	})
	return text, err
}

// Exchanges returns the LLM exchanges in order.
func (e *Engine) Exchanges(ctx context.Context, handle string) (list []app.LLMExchange, err error) {
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Exchanges(ctx, handle)
		return err
	})
	return list, err
}

// Network returns the ledger in order: so far, if the execution runs here.
func (e *Engine) Network(ctx context.Context, handle string) (list []app.Connection, err error) {
	if r := e.running(handle); r != nil {
		return r.network(), nil
	}
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Connections(ctx, handle)
		return err
	})
	return list, err
}

// Redactions returns what was masked, by channel, for people only. It is empty until the execution has ended.
func (e *Engine) Redactions(ctx context.Context, handle string) (hits map[string]redact.Hits, err error) {
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		hits, err = tx.RedactionHits(ctx, handle)
		return err
	})
	return hits, err
}
