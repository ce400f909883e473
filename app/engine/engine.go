package engine

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

// Sandbox is a configured backend.
type Sandbox struct {
	Name    string
	Backend plugins.Sandbox
	Config  plugins.Config
}

// Config is what an Engine needs. Zero numbers and durations mean their defaults.
type Config struct {
	Store   *store.Store
	Access  *access.Service
	Keyring *secrets.Keyring
	Hub     *live.Hub
	Gateway *egress.Gateway
	Metrics *metrics.Metrics // nil: none
	Log     *slog.Logger     // nil: none. It gets handles, never ids, and no texts of scripts
	Now     func() time.Time // nil: time.Now

	CA        []byte    // PEM that scripts trust besides their runtime's own roots: the Gateway's Authority, if it has one
	Sandboxes []Sandbox // in order of preference. All that pass their proof are used; the first of them is the default
	Auto      bool      // use only the strongest one that passes
	Limits    app.Limits
	Runtime   string // of the boxes; "" means the backend's default

	Workers         int // executions that run at once; default 2 × cores
	Waiters         int // executions that wait for the LLM at once, see waiters; default as far as memory goes
	Queue           int // pending executions; default 1000
	QueuePerProfile int // of one profile; default a fifth of Queue
	Pool            int // boxes kept ready; default Workers as far as memory goes, negative: none

	TimeoutDefault time.Duration // default 60 s
	TimeoutMax     time.Duration // default 15 min
	LLMWait        time.Duration // default 10 min

	Patterns func(text string) []redact.Match        // finds what looks like a secret; nil: only known values are masked
	Ahead    func(text string) ([]redact.Match, int) // likewise, in output while it comes: see redact.Options
}

// Engine runs executions. It is safe for concurrent use.
type Engine struct {
	cfg     Config
	name    string // of this run of the server, in claims
	slots   *slots
	looks   chan struct{} // has room for each execution that is looked through
	waiting *waiters
	masking *shares.Turns // of submitted scripts, by profile
	reviews atomic.Int64  // begun
	kept    *lru.Cache[string, kept]
	wake    chan struct{}

	redactors redactors
	pending   atomic.Bool // something may be: see claim
	wasFull   atomic.Bool // the disk, when a claim last looked

	ctx    context.Context // ends when Close begins
	cancel context.CancelFunc
	loops  sync.WaitGroup
	runs   sync.WaitGroup

	// dispatch joins a claim with its entry in live, so that whoever holds it sees every execution either pending or live.
	dispatch lock
	lastTurn string // handle of the profile whose execution was claimed last; under dispatch

	fleet []*candidate // in the configured order

	mu       sync.Mutex
	live     map[string]*run // by handle
	cold     map[class]int   // executions that gave their slot away because no box opened: see run.take
	reason   string          // why no backend is in use
	draining bool
	closed   bool
}

// New returns an Engine that does nothing yet: see Start.
func New(cfg Config) *Engine {
	cfg = withDefaults(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	e := &Engine{
		cfg: cfg, name: app.NewID(), slots: newSlots(cfg.Workers), looks: make(chan struct{}, cfg.Workers), waiting: newWaiters(cfg.Waiters), masking: shares.NewTurns(maskedAtOnce(), shares.New(maskingQueue), errMasking), wake: make(chan struct{}, 1),
		ctx: ctx, cancel: cancel, kept: newKept(), dispatch: newLock(), live: map[string]*run{}, cold: map[class]int{}, reason: beingChecked,
	}
	e.pending.Store(true)
	for _, s := range cfg.Sandboxes {
		e.fleet = append(e.fleet, &candidate{Sandbox: s, proving: newLock()})
	}
	for _, group := range e.groups() {
		lapsed := make(chan struct{}, 1)
		for _, c := range group {
			c.lapsed = lapsed
		}
	}
	return e
}

func withDefaults(cfg Config) Config {
	orElse(&cfg.Workers, 2*runtime.NumCPU())
	orElse(&cfg.Waiters, DefaultWaiters(os.DirFS("/")))
	orElse(&cfg.Queue, 1000)
	orElse(&cfg.QueuePerProfile, max(cfg.Queue/5, 1))
	orElse(&cfg.Pool, DefaultPool(cfg.Workers, os.DirFS("/")))
	orElse(&cfg.TimeoutDefault, app.DefaultTimeout)
	orElse(&cfg.TimeoutMax, app.MaxTimeout)
	orElse(&cfg.LLMWait, app.DefaultLLMWait)
	orElse(&cfg.Limits, app.DefaultLimits())
	cfg.TimeoutDefault = min(cfg.TimeoutDefault, cfg.TimeoutMax)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Hub == nil {
		cfg.Hub = &live.Hub{}
	}
	return cfg
}

func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Start reconciles what a dead process left and begins to claim. It doesn't wait for the proofs of the sandboxes: they are taken in the background, what is submitted
// meanwhile is accepted and waits for the outcome of those that may decide where it runs, and Health says which of them can't run and why. Those are tried again now and then.
func (e *Engine) Start(ctx context.Context) error {
	if err := e.reconcile(ctx); err != nil {
		return err
	}
	e.settle()
	for _, group := range e.groups() {
		e.loops.Go(func() { e.musterLoop(group) })
	}
	e.loops.Go(e.claimLoop)
	e.loops.Go(e.watchLoop)
	return nil
}

// Reasons why no backend is in use.
const (
	beingChecked = "the sandbox is being checked"
	beingStopped = "Airlock is being stopped" // nothing is accepted any more
)

// Drain lets what runs or waits for the LLM come to its end, until ctx ends. Nothing more is accepted or claimed; what is pending stays so. Close ends what is left.
func (e *Engine) Drain(ctx context.Context) {
	e.mu.Lock()
	e.draining = true
	e.mu.Unlock()
	if e.dispatch.LockWithin(ctx) != nil {
		return
	}
	e.dispatch.Unlock() // a claim that was under way is live now, and no other follows
	e.mu.Lock()
	left := slices.Collect(maps.Values(e.live))
	e.mu.Unlock()
	for _, r := range left {
		select {
		case <-r.done:
		case <-ctx.Done():
			return
		}
	}
}

// Close stops claiming, ends what runs (marked as error: interrupted) and frees the boxes. What is pending stays so. It returns ctx's error if
// that took too long; whatever is left then is reconciled at the next start.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.reason = beingStopped
	for _, r := range e.live {
		r.stop(stopInterrupted())
	}
	var used []*backend
	for _, c := range e.fleet {
		if c.use != nil {
			used = append(used, c.use)
			c.use = nil
		}
	}
	e.mu.Unlock()
	e.cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.loops.Wait() // first: a claim may still add a run
		e.runs.Wait()
		for _, b := range used {
			b.close()
		}
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// register makes a claimed execution live. An engine that is closing ends it at once.
func (e *Engine) register(r *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.live[r.x.Handle] = r
	if e.closed {
		r.stop(stopInterrupted())
	}
}

func (e *Engine) running(handle string) *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.live[handle]
}

func (e *Engine) forget(r *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.live, r.x.Handle)
}

// publish nudges whoever looks at an execution or a list of them. The profile didn't change.
func (e *Engine) publish(x app.Execution) {
	e.cfg.Hub.Publish(live.Execution(x.Handle))
	e.cfg.Hub.Publish(live.Executions)
}

// now is the time as it is stored.
func (e *Engine) now() time.Time { return e.cfg.Now().UTC() }
