package executions

import (
	"context"

	"github.com/computclaw/airlock/store"
)

// BeatsShown is how many executions a heartbeat has.
const BeatsShown = store.OutcomesKept

// Beats returns the last executions of each profile, by its handle, oldest first.
func (s *Service) Beats(ctx context.Context, profiles ...string) (beats map[string][]store.Outcome, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		beats, err = tx.Stats.Recent(ctx, profiles, BeatsShown)
		return err
	})
	return beats, err
}
