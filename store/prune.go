package store

import (
	"context"
	"time"
)

// Kept protects executions that have ended from removal.
type Kept struct {
	EndedSince time.Time // their agents may not have asked for them yet
	// They answer idempotency keys of this time or later; without them the script would run again.
	RepeatedSince time.Time
}

// prunable is the condition on removable executions x, with the arguments of Kept. A re-run that
// has not ended reads its original.
const prunable = `x.completed_at > 0 AND x.completed_at < ?
	AND NOT EXISTS (SELECT 1 FROM idempotency i WHERE i.execution_id = x.id AND i.created_at >= ?)
	AND NOT EXISTS (SELECT 1 FROM executions r WHERE r.rerun_of <> '' AND r.rerun_of = x.handle AND r.completed_at = 0)`

const (
	selectAged = "SELECT x.id FROM executions x WHERE x.created_at < ? AND " + prunable +
		" ORDER BY x.created_at, x.id LIMIT ?"
	selectSurplus = "SELECT x.id FROM executions x WHERE x.profile_handle = ? AND x.id < ? AND " + prunable +
		" ORDER BY x.id LIMIT ?"
	selectOldest = "SELECT id FROM executions WHERE profile_handle = ? ORDER BY id DESC LIMIT 1 OFFSET ?"
	// The same where row numbers don't tell the time: see NoteOrder.
	selectSurplusByTime = "SELECT x.id FROM executions x INDEXED BY executions_profile_time WHERE x.profile_handle = ? " +
		"AND (x.created_at, x.id) < (?, ?) AND " + prunable + " ORDER BY x.created_at, x.id LIMIT ?"
	selectOldestByTime = "SELECT id FROM executions INDEXED BY executions_profile_time WHERE profile_handle = ? AND " +
		"created_at <= ? ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?"
	selectTime    = "SELECT created_at FROM executions WHERE id = ?"
	selectHandles = `WITH RECURSIVE seen (handle) AS (SELECT min(profile_handle) FROM executions
		UNION ALL SELECT (SELECT min(profile_handle) FROM executions WHERE profile_handle > seen.handle)
		FROM seen WHERE seen.handle IS NOT NULL)
		SELECT handle FROM seen WHERE handle IS NOT NULL`
)

// Profiles lists the handles of all profiles with executions, even deleted ones. It reads one row
// of each.
func (tx Pruning) Profiles(ctx context.Context) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "list profiles of executions", selectHandles)
}

// OldestOf returns the row of the oldest of a profile's newest n executions, for Surplus. It is 0
// if there are no more. Future dates, such as imported ones, don't count yet: they would displace
// executions of this instance.
func (tx Pruning) OldestOf(ctx context.Context, profileHandle string, n int, now time.Time) (row int64, err error) {
	query, args := selectOldest, []any{profileHandle, n - 1}
	if byTime, err := tx.isDisordered(ctx); err != nil {
		return 0, err
	} else if byTime {
		query, args = selectOldestByTime, []any{profileHandle, toMillis(now), n - 1}
	}
	return selectValue[int64](ctx, tx.conn, "count executions", query, args...)
}

// RemoveAged removes at most limit ended executions submitted before a time, oldest first. It
// returns their number. Statistics and counters of use stay.
func (tx Pruning) RemoveAged(ctx context.Context, before time.Time, kept Kept, limit int) (int, error) {
	ended := kept.EndedSince
	if before.Before(ended) {
		ended = before
	}
	return tx.prune(ctx, selectAged, toMillis(before), toMillis(ended), toMillis(kept.RepeatedSince), limit)
}

// Surplus is RemoveAged for a profile's executions older than row.
func (tx Pruning) Surplus(ctx context.Context, profileHandle string, row int64, kept Kept, limit int) (int, error) {
	if byTime, err := tx.isDisordered(ctx); err != nil {
		return 0, err
	} else if byTime {
		// 0, and so nothing older, if it is gone
		at, err := selectValue[int64](ctx, tx.conn, "find executions to remove", selectTime, row)
		if err != nil {
			return 0, err
		}
		return tx.prune(ctx, selectSurplusByTime, profileHandle, at, row, toMillis(kept.EndedSince),
			toMillis(kept.RepeatedSince), limit)
	}
	return tx.prune(ctx, selectSurplus, profileHandle, row, toMillis(kept.EndedSince), toMillis(kept.RepeatedSince), limit)
}

// prune removes the executions that a query finds. Their tables cascade; a trigger removes the
// words. An undecided question goes with its last execution, since it holds a script.
func (tx Pruning) prune(ctx context.Context, query string, args ...any) (int, error) {
	const doing = "remove executions"
	ids, err := selectAll[int64](ctx, tx.conn, "find executions to remove", query, args...)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	list := toJSON(ids)
	if err := tx.run(ctx, doing, keepOutcomes, list); err != nil {
		return 0, err
	}
	if err := tx.run(ctx, doing, trimOutcomes, list, OutcomesKept); err != nil {
		return 0, err
	}
	if err := tx.run(ctx, doing, "DELETE FROM executions WHERE id IN (SELECT value FROM json_each(?))", list); err != nil {
		return 0, err
	}
	return len(ids), tx.run(ctx, "remove questions that nobody decided", `DELETE FROM approvals WHERE state = 'withdrawn'
		AND NOT EXISTS (SELECT 1 FROM executions x WHERE x.approval = approvals.id)`)
}
