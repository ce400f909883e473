package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/imports"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/scheduler"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/skills"
)

// Engine runs executions. It is safe for concurrent use.
type Engine struct {
	executions.Executions
	Scheduler *scheduler.Scheduler
	Runner    *runner.Runner
	Sandboxes *sandbox.Manager
	Files     *files.Files
	Approvals *approvals.Service
	Skills    *skills.Service

	Limits   app.Limits   // of every box
	Timeouts app.Timeouts // of every execution

	imports *imports.Watch // nil if the operator says which
	waiters *shares.Shares
	workers int
	log     *slog.Logger

	ctx        context.Context // ends when Close begins
	cancel     context.CancelFunc
	background sync.WaitGroup
}

// New returns an Engine that does nothing yet: see Start.
func New(cfg Config) *Engine {
	cfg = cfg.withDefaults()
	now := func() time.Time { return cfg.Now().UTC() } // as times are stored
	redaction := redact.Options{Rules: cfg.Patterns, Ahead: cfg.Ahead}
	cache := executions.NewEndedCache(cfg.Keyring)
	e := &Engine{waiters: shares.New(cfg.Waiters), workers: cfg.Workers, Files: cfg.Files, Approvals: cfg.Access.Approvals}
	e.Limits, e.Timeouts, e.log = cfg.Limits, cfg.Timeouts, cfg.Log
	e.ctx, e.cancel = context.WithCancel(context.Background())
	modules := func() []string { return cfg.Imports }
	if cfg.Imports == nil {
		e.imports = imports.New(cfg.Store, cfg.Log)
		modules = e.imports.Modules
	}
	e.Sandboxes = sandbox.New(sandbox.Config{
		Backends: cfg.Sandboxes, Auto: cfg.Auto, Limits: cfg.Limits, Runtime: cfg.Runtime, CA: cfg.CA, Pool: cfg.Pool,
		Hub: cfg.Hub, Log: cfg.Log, Now: now, Changed: func() { e.Scheduler.Wake() },
		Imports: modules,
	})
	e.Skills = skills.New(skills.Config{Store: cfg.Store, Files: cfg.Files, Hub: cfg.Hub, Now: now,
		Sandboxes: e.Sandboxes, Patterns: cfg.Patterns, TimeoutMax: cfg.Timeouts.Max})
	in := cfg.Access
	e.Runner = runner.New(runner.Config{
		Store: cfg.Store, Keyring: cfg.Keyring, Hub: cfg.Hub, Gateway: cfg.Gateway,
		Metrics: cfg.Metrics, Log: cfg.Log, Now: now, Sandboxes: e.Sandboxes, Waiters: e.waiters, Limits: cfg.Limits,
		Workers: cfg.Workers, Timeouts: cfg.Timeouts, Redaction: redaction, Ended: cache.Add,
		Profiles: in.Profiles, Binder: in.Binder, Hosts: in.Hosts, Policies: in.Policies,
		Resolver: in.Resolver, SearchSets: in.SearchSets, Vault: in.Vault, Files: cfg.Files, Skills: e.Skills,
	})
	e.Scheduler = scheduler.New(scheduler.Config{
		Store: cfg.Store, Sandboxes: e.Sandboxes, Hub: cfg.Hub, Log: cfg.Log, Now: now,
		Workers: cfg.Workers, Queue: cfg.Queue, QueuePerProfile: cfg.QueuePerProfile,
		Begin: func(x app.Execution, slot *scheduler.Slot) (run func()) {
			return e.Runner.Begin(runner.Claim{Execution: x, Slot: slot}).Execute
		},
	})
	e.Executions = executions.New(executions.Config{
		Store: cfg.Store, Profiles: in.Profiles, Binder: in.Binder, Resolver: in.Resolver,
		Keyring: cfg.Keyring, Hub: cfg.Hub, Metrics: cfg.Metrics, Log: cfg.Log,
		Now: now, Scheduler: e.Scheduler, Runner: e.Runner, Cache: cache, Files: cfg.Files,
		Approvals: in.Approvals, Skills: e.Skills, Timeouts: cfg.Timeouts,
	})
	in.Approvals.Notify(approvals.Observer{Released: e.Scheduler.Wake, Ended: e.Runner.ReportEnd})
	return e
}

// Start ends the executions of a dead process and begins to claim. It doesn't wait for the proofs
// of the sandboxes: executions wait for those that decide where they run. Health says which
// backends can't run and why.
func (e *Engine) Start(ctx context.Context) error {
	if err := e.Controller.Reconcile(ctx); err != nil {
		return err
	}
	e.Sandboxes.Start()
	e.Scheduler.Start()
	e.Runner.Start()
	e.Controller.Start()
	if e.imports != nil {
		e.background.Go(func() { e.imports.Run(e.ctx) })
	}
	e.background.Go(func() { e.Approvals.ExpireLoop(e.ctx, e.Timeouts.Approval, e.log) })
	return nil
}

// Drain waits until running executions have ended, or ctx ends. Those that wait for an answer count
// as running. Nothing more is accepted or claimed; pending executions stay pending. Close ends the
// rest.
func (e *Engine) Drain(ctx context.Context) {
	if e.Scheduler.Drain(ctx) == nil {
		e.Runner.Drain(ctx)
	}
}

// Close stops claiming, ends running executions as interrupted, and removes the boxes. Pending
// executions stay pending. It returns the cause of ctx if that ends first; the next Start then ends
// the rest.
func (e *Engine) Close(ctx context.Context) error {
	e.cancel()
	e.Scheduler.Stop()
	e.Runner.Stop()
	e.Sandboxes.Stop()
	e.Controller.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.background.Wait()
		e.Scheduler.Wait()
		e.Runner.Wait()
		e.Controller.Wait()
		e.Sandboxes.Close()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
