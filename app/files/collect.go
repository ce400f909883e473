package files

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/store"
)

const (
	// unusedLife is how long an unreferenced blob stays: a reference may be about to be written.
	unusedLife = time.Hour

	// strayLife is how long a stored blob without a row stays: the row may be about to be written.
	strayLife = 24 * time.Hour

	collectEvery = time.Hour
	collectBatch = 100
)

// Run collects now and every hour until ctx ends.
func (f *Files) Run(ctx context.Context) {
	for {
		if err := f.Collect(ctx); err != nil && ctx.Err() == nil {
			f.cfg.Log.Error("removing old files failed", "error", err)
		}
		if sleep.For(ctx, collectEvery) != nil {
			return
		}
	}
}

// Collect removes expired files and artifacts, and unreferenced contents.
func (f *Files) Collect(ctx context.Context) error {
	now := f.cfg.Now()
	if err := f.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.Files.Expire(ctx, now) }); err != nil {
		return err
	}
	for {
		var names []string
		err := f.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
			names, err = tx.Blobs.RemoveUnused(ctx, now.Add(-unusedLife), collectBatch)
			return err
		})
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := f.cfg.Storage.Delete(ctx, name); err != nil {
				return err // a stray by now, which a later pass removes
			}
		}
		if len(names) < collectBatch {
			break
		}
	}
	return f.removeStrays(ctx, now.Add(-strayLife))
}

// removeStrays removes blobs of this instance from the storage that no row knows.
func (f *Files) removeStrays(ctx context.Context, before time.Time) error {
	list, err := f.cfg.Storage.List(ctx, f.prefix)
	if err != nil {
		return err
	}
	var old []string
	for _, b := range list {
		if b.At.Before(before) {
			old = append(old, b.Name)
		}
	}
	if len(old) == 0 {
		return nil
	}
	known := map[string]bool{}
	err = f.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		names, err := tx.Blobs.Names(ctx, old)
		for _, name := range names {
			known[name] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range old {
		if known[name] {
			continue
		}
		if err := f.cfg.Storage.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
