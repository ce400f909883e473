package store

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// Replayed returns the handle of the execution that a profile submitted under an idempotency key
// since a time, or "". key and body are hashes. CodeIdempotencyReused if the body was another.
func (tx Queue) Replayed(ctx context.Context, profileHandle string, key, body []byte, since time.Time) (string, error) {
	var rows []struct {
		Body   []byte
		Handle string
	}
	err := tx.db.WithContext(ctx).Raw(`SELECT idempotency.body, executions.handle FROM idempotency
		JOIN profiles ON profiles.id = idempotency.profile_id JOIN executions ON executions.id = idempotency.execution_id
		WHERE profiles.handle = ? AND idempotency.key = ? AND idempotency.created_at >= ?`, profileHandle, key, toMillis(since)).Scan(&rows).Error
	if err != nil {
		return "", fmt.Errorf("store: read idempotency key: %w", err)
	}
	if len(rows) == 0 {
		return "", nil
	}
	if !bytes.Equal(rows[0].Body, body) {
		return "", app.E(app.CodeIdempotencyReused, "the idempotency key was used for another request within 24 hours",
			"Use a new key for a new request.")
	}
	return rows[0].Handle, nil
}

// Remember ties an idempotency key to an execution and forgets the keys that are older than since.
func (tx Queue) Remember(ctx context.Context, profileHandle, execution string, key, body []byte, at,
	since time.Time) error {
	if _, err := gorm.G[idempotencyRow](tx.db).Where("created_at < ?", toMillis(since)).Delete(ctx); err != nil {
		return fmt.Errorf("store: forget idempotency keys: %w", err)
	}
	if _, err := tx.exec(ctx, `INSERT INTO idempotency (profile_id, key, body, execution_id, created_at)
		SELECT profiles.id, ?, ?, executions.id, ? FROM profiles, executions WHERE profiles.handle = ? AND executions.handle = ?`,
		key, body, toMillis(at), profileHandle, execution); err != nil {
		return fmt.Errorf("store: remember idempotency key: %w", err)
	}
	return nil
}
