package store

import (
	"context"
	"time"
)

// RecordCheck keeps the outcome of the last test request with a credential; problem is empty if it
// worked.
func (tx Credentials) RecordCheck(ctx context.Context, id string, at time.Time, problem string) error {
	n, err := tx.exec(ctx, "UPDATE credentials SET checked_at = ?, check_error = ? WHERE id = ?", toMillis(at), problem,
		id)
	return changed(n, err, "credential")
}
