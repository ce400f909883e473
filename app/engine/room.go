package engine

import (
	"context"

	"github.com/computclaw/airlock/store"
)

// Room is what the disk has left for the database.
func (e *Engine) Room(ctx context.Context) (store.Room, error) { return e.cfg.Store.Room(ctx) }

// Stored is how large the database is.
type Stored struct {
	Bytes    int64
	Reusable int64 // of these
}

// Stored returns how large the database is.
func (e *Engine) Stored(ctx context.Context) (s Stored, err error) {
	if s.Bytes, err = e.cfg.Store.Size(ctx); err != nil {
		return s, err
	}
	s.Reusable, err = e.cfg.Store.Reusable(ctx)
	return s, err
}
