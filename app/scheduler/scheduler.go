package scheduler

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/store"
)

// Config configures a Scheduler. All fields must be set.
type Config struct {
	Store     *store.Store
	Sandboxes *sandbox.Manager
	Hub       *live.Hub
	Log       *slog.Logger
	Now       func() time.Time // in UTC

	Workers         int // executions that run at once
	Queue           int // pending executions
	QueuePerProfile int

	// Begin takes over a claimed execution and its slot. It must not block. The Scheduler calls run
	// in its own goroutine.
	Begin func(x app.Execution, slot *Slot) (run func())
}

// Scheduler claims pending executions as slots get free. It is safe for concurrent use.
type Scheduler struct {
	cfg    Config
	server string // names this run of the server in claims
	slots  *slots
	yields counts[sandbox.Class] // executions that gave their slot away because no box opened
	ends   counts[string]        // of profiles: scripts that have ended, and whose ends are not stored yet

	wake     chan struct{}
	pending  atomic.Bool // something may be: see claimNext
	diskFull atomic.Bool // when a claim last looked

	ctx    context.Context // ends when Stop is called
	cancel context.CancelFunc
	loop   sync.WaitGroup
	runs   sync.WaitGroup

	// claiming joins a claim with Begin, so each execution is pending or begun. A semaphore,
	// because the holder may wait minutes for the store's writer.
	claiming    *semaphore.Weighted
	lastProfile string // handle; whose execution was claimed last. claiming guards it

	mu       sync.Mutex
	draining bool
	stopped  bool
}

// New returns a Scheduler. Start begins the claims.
func New(cfg Config) *Scheduler {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Scheduler{
		cfg: cfg, server: app.NewID(), slots: newSlots(cfg.Workers), wake: make(chan struct{}, 1),
		ctx: ctx, cancel: cancel, claiming: semaphore.NewWeighted(1),
	}
	s.pending.Store(true)
	return s
}

// Start begins to claim.
func (s *Scheduler) Start() { s.loop.Go(s.claimLoop) }

// Drain stops claiming and accepting, and waits for the current claim. It returns an error if ctx
// ends first.
func (s *Scheduler) Drain(ctx context.Context) error {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	return s.WithoutClaims(ctx, func() error { return nil })
}

// Stop stops claiming and accepting at once. Wait must follow.
func (s *Scheduler) Stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.cancel()
}

// Wait returns when everything that began has ended.
func (s *Scheduler) Wait() {
	s.loop.Wait() // first: it may still begin a run
	s.runs.Wait()
}

// IsStopping reports whether submissions are refused.
func (s *Scheduler) IsStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining || s.stopped
}

// WithoutClaims calls do while nothing is claimed. Each execution is then pending or begun. It
// returns do's error, or ctx's if that ended first.
func (s *Scheduler) WithoutClaims(ctx context.Context, do func() error) error {
	if s.claiming.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer s.claiming.Release(1)
	return do()
}

// Wake makes the claim loop look for pending executions. It never blocks.
func (s *Scheduler) Wake() {
	s.pending.Store(true)
	s.signalFreeSlot()
}

// signalFreeSlot makes the claim loop look for work for a free slot.
func (s *Scheduler) signalFreeSlot() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// canRun reports whether something can run now.
func (s *Scheduler) canRun() bool {
	s.mu.Lock()
	draining := s.draining
	s.mu.Unlock()
	return !draining && s.cfg.Sandboxes.Available()
}
