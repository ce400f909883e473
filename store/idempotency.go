package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/computclaw/airlock/app"
)

// IdempotencyKey is the hash of a key, and that of what was submitted with it.
type IdempotencyKey struct{ Key, Body []byte }

// Replayed returns the handle of the execution that a profile submitted under an idempotency key
// since a time, or "". key and body are hashes. CodeIdempotencyReused if the body was another.
func (tx Queue) Replayed(ctx context.Context, profileHandle string, key, body []byte, since time.Time) (string, error) {
	var submitted []byte
	var handle string
	err := tx.row(ctx, `SELECT idempotency.body, executions.handle FROM idempotency
			JOIN profiles ON profiles.id = idempotency.profile_id
			JOIN executions ON executions.id = idempotency.execution_id
		WHERE profiles.handle = ? AND idempotency.key = ? AND idempotency.created_at >= ?`,
		profileHandle, key, toMillis(since)).Scan(&submitted, &handle)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", failed("read idempotency key", err)
	}
	if !bytes.Equal(submitted, body) {
		return "", app.E(app.CodeIdempotencyReused, "the idempotency key was used for another request within 24 hours",
			"Use a new key for a new request.")
	}
	return handle, nil
}

// Remember ties an idempotency key to an execution and forgets the keys that are older than since.
func (tx Queue) Remember(ctx context.Context, profileHandle, execution string, key, body []byte, at,
	since time.Time) error {
	if err := tx.run(ctx, "forget idempotency keys", "DELETE FROM idempotency WHERE created_at < ?",
		toMillis(since)); err != nil {
		return err
	}
	return tx.run(ctx, "remember idempotency key",
		`INSERT INTO idempotency (profile_id, key, body, execution_id, created_at)
		SELECT profiles.id, ?, ?, executions.id, ? FROM profiles, executions
		WHERE profiles.handle = ? AND executions.handle = ?`,
		key, body, toMillis(at), profileHandle, execution)
}
