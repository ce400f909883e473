package runner

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
)

// Config is what a Runner needs. All fields but Metrics must be set.
type Config struct {
	Store     *store.Store
	Keyring   *secrets.Keyring
	Hub       *live.Hub
	Gateway   *egress.Gateway
	Metrics   *metrics.Metrics
	Log       *slog.Logger     // gets handles, never ids or texts of scripts
	Now       func() time.Time // in UTC
	Sandboxes *sandbox.Manager
	Waiters   *shares.Shares // executions that wait for an answer, each of which keeps a box in memory

	Profiles   *profiles.Registry
	Binder     *profiles.Binder
	Hosts      *profiles.Hosts
	Policies   *policy.Versions
	Resolver   *credentials.Resolver
	SearchSets *credentials.SearchSets
	Vault      *credentials.Vault
	Files      *files.Files
	Skills     *skills.Service

	Limits    app.Limits
	Workers   int // scripts that run at once
	Timeouts  app.Timeouts
	Redaction redact.Options
	Ended     func(store.Ended) // called with an end without a ledger, once it is stored
}

// Runner runs executions that were claimed. It is safe for concurrent use.
type Runner struct {
	cfg       Config
	runs      registry
	redactors sharedRedactors
	lanes     *lanes       // of what leaves boxes
	submitted *lanes       // of what is submitted, which doesn't wait for ends
	decisions atomic.Int64 // counts the times that people's decisions were looked up

	ctx    context.Context // ends when Stop is called
	cancel context.CancelFunc
	loop   sync.WaitGroup
}

// Source is what a box gets to run.
type Source struct {
	Script, Inputs []byte // Inputs is nil if there are none
	Files          []store.InputFile
}

// New returns a Runner.
func New(cfg Config) *Runner {
	ctx, cancel := context.WithCancel(context.Background())
	return &Runner{
		cfg: cfg, runs: registry{live: map[string]*Run{}}, lanes: newLanes(cfg.Workers),
		submitted: newLanes(cfg.Workers), ctx: ctx, cancel: cancel,
	}
}

// Start begins to apply people's decisions to running executions. It misses none made after it
// returns.
func (r *Runner) Start() {
	news := r.cfg.Hub.Subscribe(live.Profiles, live.Credentials)
	r.loop.Go(func() { r.watchDecisions(news) })
}

// Tmp returns how much a script may keep in its /tmp, in bytes.
func (r *Runner) Tmp() int64 { return r.cfg.Limits.Tmp }

// Live returns how many executions run or wait for an answer.
func (r *Runner) Live() int { return r.runs.count() }

// Drain returns when the present executions have ended, or ctx ends.
func (r *Runner) Drain(ctx context.Context) {
	for _, run := range r.runs.all() {
		select {
		case <-run.done:
		case <-ctx.Done():
			return
		}
	}
}

// Stop ends present and later executions as interrupted. Ends that wait for their turn after
// endsAtStop are stored unchecked. Wait must follow.
func (r *Runner) Stop() {
	r.runs.interrupt()
	r.cancel()
	r.lanes.cut(endsAtStop)
}

// Wait returns when nothing watches for decisions.
func (r *Runner) Wait() { r.loop.Wait() }
