package runner

import (
	"context"
	"log/slog"
	"maps"
	"slices"
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
	"github.com/computclaw/airlock/app/scheduler"
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

// Claim is an execution that this server may run.
type Claim struct {
	Execution app.Execution
	Slot      *scheduler.Slot
	Source    *Source  // as submitted; nil: in the store
	Binding   *Binding // nil: bound when it runs
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

// Begin makes a claimed execution live. Run.Execute must follow.
func (r *Runner) Begin(c Claim) *Run {
	run := newRun(r, c)
	r.runs.add(run)
	return run
}

// Tmp returns how much a script may keep in its /tmp, in bytes.
func (r *Runner) Tmp() int64 { return r.cfg.Limits.Tmp }

// Find returns the live execution with the handle; nil if there is none.
func (r *Runner) Find(handle string) *Run { return r.runs.get(handle) }

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

// Wait returns when nothing watches for decisions any more.
func (r *Runner) Wait() { r.loop.Wait() }

// registry holds executions from their claim until their row is terminal.
type registry struct {
	mu          sync.Mutex
	live        map[string]*Run // by handle
	interrupted bool
}

// add makes an execution live. After interrupt it is stopped at once.
func (g *registry) add(r *Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live[r.x.Handle] = r
	if g.interrupted {
		r.Stop(stopInterrupted())
	}
}

func (g *registry) remove(r *Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.live, r.x.Handle)
}

func (g *registry) get(handle string) *Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.live[handle]
}

func (g *registry) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.live)
}

func (g *registry) all() []*Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.live))
}

func (g *registry) byProfile() map[string][]*Run {
	profiles := map[string][]*Run{}
	for _, r := range g.all() {
		profiles[r.x.ProfileHandle] = append(profiles[r.x.ProfileHandle], r)
	}
	return profiles
}

// interrupt stops all executions, also those that are added later.
func (g *registry) interrupt() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.interrupted = true
	for _, r := range g.live {
		r.Stop(stopInterrupted())
	}
}
