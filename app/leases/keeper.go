package leases

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/store"
)

// Config configures a Keeper.
type Config struct {
	Store *store.Store
	Vault *vault.Client
	Log   *slog.Logger     // nil: none
	Now   func() time.Time // nil: time.Now
}

// Keeper holds leases. It is safe for concurrent use.
type Keeper struct {
	cfg     Config
	ctx     context.Context // ends when Close gives up
	cancel  context.CancelFunc
	closing chan struct{}
	revokes *semaphore.Weighted // bounds how many are revoked at once
	running sync.WaitGroup

	mu     sync.Mutex
	held   map[string]*hold
	failed map[string]error // why leases that are to be given back are not yet
	closed bool
}

// hold is the leases of one owner.
type hold struct {
	leases []vault.Lease
	cancel context.CancelFunc // of their renewal
	lost   error              // the first that could not be renewed
}

// New returns a Keeper. It does nothing by itself yet.
func New(cfg Config) *Keeper {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Keeper{cfg: cfg, ctx: ctx, cancel: cancel, closing: make(chan struct{}), revokes: semaphore.NewWeighted(8),
		held: map[string]*hold{}, failed: map[string]error{}}
}

// Start begins to revoke the leases of a dead process. Only one process of an instance may call it,
// before the first Take.
func (k *Keeper) Start(ctx context.Context) error {
	var left []store.Lease
	err := k.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		left, err = tx.Leases.List(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("leases: %w", err)
	}
	if len(left) > 0 {
		k.cfg.Log.WarnContext(ctx, "leases of a process that ended unexpectedly are being revoked in Vault", "count",
			len(left))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range left {
		k.giveBackLocked(l.ID, l.ExpiresAt)
	}
	return nil
}

// ErrClosed is returned by Take once Close was called.
var ErrClosed = errors.New("leases: Airlock is being stopped")

// SharedError says that a path's lease already has a holder. It wraps an *app.Error.
type SharedError struct{ Path string }

func (e *SharedError) Error() string { return "leases: " + e.Path + ": " + errShared.Message }

// Unwrap returns what to tell.
func (e *SharedError) Unwrap() error { return errShared }

var errShared = app.E(app.CodeUnreachable,
	"Vault's answer has a lease that another execution holds; a cache in front of Vault handed it out twice",
	"Ask the operator to let Airlock speak with Vault itself, or to switch off the cache of its agent.")

// Take stores leases, renews them, and returns the name for End, or "". If it fails they are
// revoked, except those of other holders: *SharedError. After Close they are left to the next
// start: ErrClosed.
func (k *Keeper) Take(ctx context.Context, leases []vault.Lease) (string, error) {
	if len(leases) == 0 {
		return "", nil
	}
	own, err := k.insert(context.WithoutCancel(ctx), leases)
	if err == nil {
		return k.hold(leases)
	}
	k.giveBack(own)
	return "", fmt.Errorf("leases: %w", err)
}

// insert stores leases and returns those without another holder. If others have one, err is a
// *SharedError.
func (k *Keeper) insert(ctx context.Context, leases []vault.Lease) (own []vault.Lease, err error) {
	var shared error
	now := k.cfg.Now()
	err = k.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		own, shared = nil, nil
		for _, l := range leases {
			fresh, err := tx.Leases.Insert(ctx, store.Lease{ID: l.ID, CreatedAt: now, ExpiresAt: now.Add(seconds(l))})
			if err != nil {
				return err
			}
			if fresh {
				own = append(own, l)
			} else {
				shared = &SharedError{l.Path}
			}
		}
		return nil
	})
	if err != nil {
		return leases, err
	}
	return own, shared
}

func seconds(l vault.Lease) time.Duration { return time.Duration(l.Seconds) * time.Second }

func (k *Keeper) hold(leases []vault.Lease) (string, error) {
	ctx, cancel := context.WithCancel(k.ctx)
	h, name := &hold{leases: leases, cancel: cancel}, app.NewID()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		cancel()
		return "", ErrClosed
	}
	k.held[name] = h
	for _, l := range leases {
		k.running.Go(func() { k.renew(ctx, h, l) })
	}
	return name, nil
}

func (k *Keeper) renew(ctx context.Context, h *hold, l vault.Lease) {
	err := k.cfg.Vault.Hold(ctx, l, func(d time.Duration) {
		err := k.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Leases.Extend(ctx, l.ID, k.cfg.Now().Add(d)) })
		if err != nil && ctx.Err() == nil {
			k.cfg.Log.Error("a renewed lease could not be written down", "lease", l.ID, "error", err)
		}
	})
	if err == nil || ctx.Err() != nil {
		return
	}
	k.cfg.Log.Warn("a lease of a running execution could not be renewed", "lease", l.ID, "error", err)
	k.mu.Lock()
	defer k.mu.Unlock()
	if h.lost == nil {
		h.lost = err
	}
}

// End revokes Take's leases in the background. lost reports whether Vault had ended some before,
// which may explain failures. Each name is ended once; others are ignored.
func (k *Keeper) End(name string) (lost bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.held[name]
	delete(k.held, name)
	if h == nil {
		return false
	}
	k.endLocked(h)
	return h.lost != nil
}

func (k *Keeper) endLocked(h *hold) {
	h.cancel()
	for _, l := range h.leases {
		k.giveBackLocked(l.ID, k.cfg.Now().Add(seconds(l)))
	}
}

// CountFailed returns how many leases await another revocation, and one reason.
func (k *Keeper) CountFailed() (n int, why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, err := range k.failed {
		why = err
	}
	return len(k.failed), why
}

// Open returns how many leases are held or not revoked yet.
func (k *Keeper) Open(ctx context.Context) (n int, err error) {
	err = k.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.Leases.List(ctx)
		n = len(list)
		return err
	})
	return n, err
}

// Close ends what is held and waits for one try to revoke everything. What can't be revoked is left
// to the next start. It returns ctx's error on timeout.
func (k *Keeper) Close(ctx context.Context) error {
	k.endAll()
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.running.Wait()
	}()
	defer k.cancel()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("leases: %w", context.Cause(ctx))
	}
}

// endAll ends what is held, and refuses further leases and revocations.
func (k *Keeper) endAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	for _, h := range k.held {
		k.endLocked(h)
	}
	clear(k.held)
	k.closed = true
	close(k.closing)
}
