package executions

import (
	"context"

	"github.com/computclaw/airlock/store"
)

// Room returns how much room the disk has left for the database.
func (s *Statistics) Room(ctx context.Context) (store.Room, error) { return s.cfg.Store.Room(ctx) }

// Stored is how large the database is.
type Stored struct {
	Bytes    int64
	Reusable int64 // of these
}

// Stored returns how large the database is.
func (s *Statistics) Stored(ctx context.Context) (stored Stored, err error) {
	if stored.Bytes, err = s.cfg.Store.Size(ctx); err != nil {
		return stored, err
	}
	stored.Reusable, err = s.cfg.Store.Reusable(ctx)
	return stored, err
}
