package executions

import (
	"context"

	"github.com/computclaw/airlock/store"
)

// Recent returns the last executions of each profile, by its handle, oldest first.
func (s *Statistics) Recent(ctx context.Context, profiles ...string) (outcomes map[string][]store.Outcome, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		outcomes, err = tx.Stats.Recent(ctx, profiles, store.OutcomesKept)
		return err
	})
	return outcomes, err
}
