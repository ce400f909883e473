// Package engine claims executions from the store, owns the pool of boxes, and drives each session from start to verdict.
package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/computclaw/airlock/app"
)

// Engine runs executions. It is safe for concurrent use.
type Engine struct{}

// Submission is what an agent sends.
type Submission struct {
	ProfileID      string
	Script         string
	Inputs         json.RawMessage // nil if none
	Timeout        time.Duration   // 0: the default
	IdempotencyKey string          // "" if none
	By             app.Actor
}

// Submit stores an execution as pending and wakes the engine. With an idempotency key that was used for the same body within 24 hours it returns that
// execution and replayed is true. Errors: the profile's CanExecute, CodeNotFound for an unknown profile (as CodeUnauthorized), CodeTooLarge, CodeInvalidField, CodeQueueFull,
// CodeIdempotencyReused, CodeSandboxUnavailable.
func (e *Engine) Submit(ctx context.Context, s Submission) (x app.Execution, replayed bool, err error) {
	panic("not built")
}

// Execution returns one by its id, for agents. CodeNotFound if there is none; CodeProfileRevoked if its profile was revoked.
func (e *Engine) Execution(ctx context.Context, id string) (app.Execution, error) { panic("not built") }

// ByHandle returns one for people.
func (e *Engine) ByHandle(ctx context.Context, handle string) (app.Execution, error) {
	panic("not built")
}

// Await returns the execution when it is terminal or waits for the LLM, or as it stands when the time is over.
// It returns at once if its current question is not the one with the id "after" (for agents that have just answered that one, pass "").
func (e *Engine) Await(ctx context.Context, id string, atMost time.Duration) (app.Execution, error) {
	panic("not built")
}

// Output returns what a terminal execution printed and returned.
func (e *Engine) Output(ctx context.Context, handle string) (app.Output, error) { panic("not built") }

// LiveOutput returns the redacted output so far of a running execution, for people only; ok is false if it isn't running here.
func (e *Engine) LiveOutput(handle string) (out app.Output, ok bool) { panic("not built") }

// Script returns the script as a person may see it (redacted).
func (e *Engine) Script(ctx context.Context, handle string) (string, error) { panic("not built") }

// Exchanges returns the LLM exchanges in order.
func (e *Engine) Exchanges(ctx context.Context, handle string) ([]app.LLMExchange, error) {
	panic("not built")
}

// Network returns the ledger in order.
func (e *Engine) Network(ctx context.Context, handle string) ([]app.Connection, error) {
	panic("not built")
}

// Filter selects executions. Zero fields don't filter.
type Filter struct {
	ProfileHandle string
	Status        app.Status
	From, To      time.Time
	Before        string // handle: only what is older than that execution (keyset paging)
	Limit         int    // 1 to 100; 0 means 50
}

// List returns executions newest first, and whether there are more.
func (e *Engine) List(ctx context.Context, f Filter) (list []app.Execution, more bool, err error) {
	panic("not built")
}

// Answer is a reply to a script's question: Text, or Failure which raises llm.Error.
type Answer struct {
	RequestID string // "" means the open one
	Text      string
	Failure   string
	By        app.Actor
}

// Respond answers an execution that waits for the LLM and returns it as it then stands. Errors: CodeNotFound, CodeNotWaiting, CodeRequestMismatch, CodeProfileRevoked, CodeTooLarge.
func (e *Engine) Respond(ctx context.Context, id string, a Answer) (app.Execution, error) {
	panic("not built")
}

// Cancel ends an execution; it returns when nothing of it runs any more. CodeAlreadyEnded if it was terminal.
func (e *Engine) Cancel(ctx context.Context, id string, by app.Actor) (app.Execution, error) {
	panic("not built")
}

// KillProfile ends everything the profile runs or has queued, as cancelled with the reason in the error; it returns when nothing of it runs any more.
func (e *Engine) KillProfile(ctx context.Context, handle, reason string) error { panic("not built") }

// Health is the engine's state for /health and the UI.
type Health struct {
	Ready    bool
	Backend  string
	Tier     string
	Reason   string // why not ready and what to do
	Controls []Control
	Enforced map[string]string
	Runtime  string
	Workers  int
	Running  int
	Waiting  int // for the LLM
	Queued   int
	Warm     int // boxes ready
}

// Control is one proved or unproved control of the sandbox.
type Control struct {
	Name   string
	Proved bool
	Detail string
}

// Health reports the state now.
func (e *Engine) Health() Health { panic("not built") }

// Stats are counts over all executions of a profile.
type Stats struct {
	Total, Failed int64
	Recent        []app.Execution // the last 50, newest first
}

// Start checks the sandbox, reconciles what a dead process left, and begins to claim. It returns without waiting for a backend that can't run.
func (e *Engine) Start(ctx context.Context) error { panic("not built") }

// Close stops claiming, ends what runs (marked as error: interrupted) and frees the boxes.
func (e *Engine) Close(ctx context.Context) error { panic("not built") }
