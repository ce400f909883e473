package engine

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/scheduler"
)

// What callers of an Engine name.
type (
	Sandbox       = sandbox.BackendConfig
	BackendHealth = sandbox.BackendHealth
	Submission    = executions.Submission
	Filter        = executions.Filter
	Comparison    = executions.Comparison
	Figures       = executions.Figures
	Period        = executions.Period
	Answer        = runner.Answer
)

// Engine runs executions. It is safe for concurrent use.
type Engine struct {
	*executions.Service
	Sandboxes *sandbox.Manager
	Scheduler *scheduler.Scheduler
	Runner    *runner.Runner

	waiters *scheduler.Waiters
	workers int
}

// New returns an Engine that does nothing yet: see Start.
func New(cfg Config) *Engine {
	cfg = cfg.withDefaults()
	now := func() time.Time { return cfg.Now().UTC() } // as times are stored
	redaction := redact.Options{Patterns: cfg.Patterns, Ahead: cfg.Ahead}
	cache := executions.NewEndedCache(cfg.Keyring)
	e := &Engine{waiters: scheduler.NewWaiters(cfg.Waiters), workers: cfg.Workers}
	e.Sandboxes = sandbox.New(sandbox.Config{
		Backends: cfg.Sandboxes, Auto: cfg.Auto, Limits: cfg.Limits, Runtime: cfg.Runtime, CA: cfg.CA, Pool: cfg.Pool,
		Hub: cfg.Hub, Log: cfg.Log, Now: now, Changed: func() { e.Scheduler.Wake() },
	})
	e.Runner = runner.New(runner.Config{
		Store: cfg.Store, Access: cfg.Access, Keyring: cfg.Keyring, Hub: cfg.Hub, Gateway: cfg.Gateway,
		Metrics: cfg.Metrics, Log: cfg.Log, Now: now, Sandboxes: e.Sandboxes, Waiters: e.waiters, Limits: cfg.Limits,
		Workers: cfg.Workers, TimeoutMax: cfg.TimeoutMax, LLMWait: cfg.LLMWait, Redaction: redaction, Ended: cache.Add,
	})
	e.Scheduler = scheduler.New(scheduler.Config{
		Store: cfg.Store, Sandboxes: e.Sandboxes, Hub: cfg.Hub, Log: cfg.Log, Now: now,
		Workers: cfg.Workers, Queue: cfg.Queue, QueuePerProfile: cfg.QueuePerProfile,
		Begin: func(x app.Execution, slot *scheduler.Slot) (run func()) {
			return e.Runner.Begin(runner.Claim{Execution: x, Slot: slot}).Execute
		},
	})
	e.Service = executions.New(executions.Config{
		Store: cfg.Store, Access: cfg.Access, Keyring: cfg.Keyring, Hub: cfg.Hub, Metrics: cfg.Metrics, Log: cfg.Log,
		Now: now, Scheduler: e.Scheduler, Runner: e.Runner, Cache: cache, Redaction: redaction,
		TimeoutDefault: cfg.TimeoutDefault, TimeoutMax: cfg.TimeoutMax,
	})
	return e
}

// Start ends what a dead process left and begins to claim. It doesn't wait for the proofs of the
// sandboxes: what is submitted meanwhile waits for those that decide where it runs. Health says
// which backends can't run and why.
func (e *Engine) Start(ctx context.Context) error {
	if err := e.Reconcile(ctx); err != nil {
		return err
	}
	e.Sandboxes.Start()
	e.Scheduler.Start()
	e.Runner.Start()
	return nil
}

// Drain lets what runs or waits for an answer come to its end, until ctx ends. Nothing more is
// accepted or claimed; what is pending stays so. Close ends what is left.
func (e *Engine) Drain(ctx context.Context) {
	if e.Scheduler.Drain(ctx) == nil {
		e.Runner.Drain(ctx)
	}
}

// Close stops claiming, ends what runs as interrupted, and removes the boxes. What is pending stays
// so. It returns ctx's error if that took too long; the next Start ends what is left then.
func (e *Engine) Close(ctx context.Context) error {
	e.Scheduler.Stop()
	e.Runner.Stop()
	e.Sandboxes.Stop()
	e.Service.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Scheduler.Wait()
		e.Runner.Wait()
		e.Service.Wait()
		e.Sandboxes.Close()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Packages lists what scripts can import: see sandbox.Manager.
func (e *Engine) Packages() []sandbox.Installed { return e.Sandboxes.Packages() }

// Prove takes proofs of backends again: see sandbox.Manager.
func (e *Engine) Prove(ctx context.Context, name string) error { return e.Sandboxes.Prove(ctx, name) }
