package executions

import (
	"context"

	"github.com/computclaw/airlock/store"
)

// SentValues lists the newest requests that had a credential's sealed value in them.
func (s *Reader) SentValues(ctx context.Context, credentialID string) (list []store.SentValue, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Executions.SentValues(ctx, credentialID)
		return err
	})
	return list, err
}
