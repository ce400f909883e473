package executions

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Previews says what executions ran and returned, by handle, for lists of people.
func (s *Reader) Previews(ctx context.Context, list []app.Execution) (all map[string]store.Preview, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		all, err = tx.Executions.Previews(ctx, handlesOf(list))
		return err
	})
	return all, err
}

// Texts returns the redacted texts in which Filter.Text finds executions, by handle.
func (s *Reader) Texts(ctx context.Context, list []app.Execution) (all map[string]string, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		all, err = tx.Executions.Texts(ctx, handlesOf(list))
		return err
	})
	return all, err
}

func handlesOf(list []app.Execution) []string {
	handles := make([]string, len(list))
	for i, x := range list {
		handles[i] = x.Handle
	}
	return handles
}

// maxCounted bounds how many executions a search counts.
const maxCounted = 1000

// Count returns how many executions match. exact is false if there may be more.
func (s *Reader) Count(ctx context.Context, f Filter) (n int, exact bool, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		n, exact, err = tx.Executions.Count(ctx, f.toStore(0), maxCounted)
		return err
	})
	return n, exact, err
}
