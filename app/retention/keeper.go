package retention

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/store"
)

// Defaults of Policy: a quarter of a year, and two years of one execution every ten minutes.
const (
	DefaultDays  = 90
	DefaultCount = 100_000
	// DefaultSuperseded is how many days hosts may show a replaced value.
	DefaultSuperseded = 30
)

// grace is how long an ended execution stays under any policy. One with an idempotency key stays
// for app.IdempotencyLife.
const grace = time.Hour

const every = time.Hour

// Policy limits age and number of executions. The zero Policy keeps every execution and no
// superseded value.
type Policy struct {
	Days       int // executions that were submitted more days ago are removed; 0 keeps them
	Count      int // executions that are kept of each profile, the newest; 0 keeps all
	Superseded int // days for which a replaced value is kept; 0 keeps none
}

// Config configures a Keeper.
type Config struct {
	Store  *store.Store
	Policy Policy
	Hub    *live.Hub
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// Keeper removes executions and values beyond a Policy. Safe for concurrent use.
type Keeper struct {
	cfg  Config
	pass sync.Mutex
}

// New returns a Keeper that does nothing yet.
func New(cfg Config) *Keeper {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Hub == nil {
		cfg.Hub = &live.Hub{}
	}
	return &Keeper{cfg: cfg}
}

// Policy returns the policy. It is zero if there is no Keeper.
func (k *Keeper) Policy() Policy {
	if k == nil {
		return Policy{}
	}
	return k.cfg.Policy
}

// Run makes a pass now, and another an hour after each, until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for {
		if err := k.Pass(ctx); err != nil && ctx.Err() == nil {
			k.cfg.Log.Error("removing old executions failed", "error", err)
		}
		if sleep.For(ctx, every) != nil {
			return
		}
	}
}

// Pass removes everything that the policy doesn't keep.
func (k *Keeper) Pass(ctx context.Context) error {
	k.pass.Lock()
	defer k.pass.Unlock()
	now := k.cfg.Now()
	kept := store.Kept{EndedSince: now.Add(-grace), RepeatedSince: now.Add(-app.IdempotencyLife)}
	err := k.removeAged(ctx, now, kept)
	if err == nil {
		err = k.surplus(ctx, now, kept)
	}
	if err == nil {
		err = k.removeSuperseded(ctx, now)
	}
	if err != nil {
		return fmt.Errorf("retention: %w", err)
	}
	return k.report(ctx)
}

func (k *Keeper) removeAged(ctx context.Context, now time.Time, kept store.Kept) error {
	if k.cfg.Policy.Days == 0 {
		return nil
	}
	before := now.Add(-time.Duration(k.cfg.Policy.Days) * 24 * time.Hour)
	return k.batches(ctx, func(tx *store.Tx, limit int) (removed, error) {
		n, err := tx.Pruning.RemoveAged(ctx, before, kept, limit)
		return removed{Aged: n}, err
	})
}

func (k *Keeper) surplus(ctx context.Context, now time.Time, kept store.Kept) error {
	if k.cfg.Policy.Count == 0 {
		return nil
	}
	var handles []string
	err := k.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		handles, err = tx.Pruning.Profiles(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, handle := range handles {
		if err := k.surplusOf(ctx, handle, now, kept); err != nil {
			return err
		}
	}
	return nil
}

func (k *Keeper) surplusOf(ctx context.Context, profileHandle string, now time.Time, kept store.Kept) error {
	var oldest int64
	err := k.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		oldest, err = tx.Pruning.OldestOf(ctx, profileHandle, k.cfg.Policy.Count, now)
		return err
	})
	if err != nil || oldest == 0 {
		return err
	}
	return k.batches(ctx, func(tx *store.Tx, limit int) (removed, error) {
		n, err := tx.Pruning.Surplus(ctx, profileHandle, oldest, kept, limit)
		return removed{Surplus: n}, err
	})
}

// removeSuperseded removes values that no host shows now.
func (k *Keeper) removeSuperseded(ctx context.Context, now time.Time) error {
	before := now.Add(-time.Duration(k.cfg.Policy.Superseded) * 24 * time.Hour)
	var n int64
	err := k.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.Values.PruneSuperseded(ctx, before)
		return err
	})
	if err == nil && n > 0 {
		k.cfg.Log.Info("superseded values were removed", "count", n)
	}
	return err
}

func (k *Keeper) report(ctx context.Context) error {
	done := removed{}
	now := k.cfg.Now()
	err := k.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		state, err := readState(ctx, tx)
		if err != nil {
			return err
		}
		done = state.Unreported
		state.Unreported, state.PassedAt, state.Last = removed{}, now, done
		if err := writeState(ctx, tx, now, state); err != nil || done.total() == 0 {
			return err
		}
		return tx.Audit(ctx, app.Event{At: now, Actor: app.System(), Action: "executions.remove", Subject: "executions",
			Detail: done.sentence(k.cfg.Policy)})
	})
	if err != nil {
		return fmt.Errorf("retention: %w", err)
	}
	if done.total() > 0 {
		k.cfg.Log.Info("old executions were removed", "aged", done.Aged, "surplus", done.Surplus)
		k.cfg.Hub.Publish(live.Executions)
	}
	return nil
}

// Sizes of batches, and how long one should take.
const (
	firstBatch = 20
	mostBatch  = 500
	batchTime  = 25 * time.Millisecond
)

// batches calls some until nothing is left to remove, each time in its own transaction.
func (k *Keeper) batches(ctx context.Context, some func(tx *store.Tx, limit int) (removed, error)) error {
	for limit := firstBatch; ; {
		var gone removed
		var began time.Time
		err := k.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
			began = time.Now() // of the wall: it bounds how long others wait
			if gone, err = some(tx, limit); err != nil || gone.total() == 0 {
				return err
			}
			return note(ctx, tx, k.cfg.Now(), gone)
		})
		took := time.Since(began)
		if err != nil || gone.total() == 0 {
			return err
		}
		switch {
		case took > batchTime:
			limit = max(limit/2, 1)
		case took < batchTime/2:
			limit = min(limit*2, mostBatch)
		}
		if err := sleep.For(ctx, took); err != nil { // others write meanwhile
			return err
		}
	}
}
