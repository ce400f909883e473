package executions

import (
	"context"

	"github.com/computclaw/airlock/store"
)

// FreeSpace returns how much space the disk has left for the database.
func (s *Statistics) FreeSpace(ctx context.Context) (store.FreeSpace, error) {
	return s.cfg.Store.FreeSpace(ctx)
}

// Stored is the size of the database.
type Stored struct {
	Bytes    int64
	Reusable int64 // of these, free for new rows
}

// Stored returns the size of the database.
func (s *Statistics) Stored(ctx context.Context) (stored Stored, err error) {
	if stored.Bytes, err = s.cfg.Store.Size(ctx); err != nil {
		return stored, err
	}
	stored.Reusable, err = s.cfg.Store.Reusable(ctx)
	return stored, err
}
