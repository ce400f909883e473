package store

import "context"

// Undecided counts what people are asked to decide about code: scripts that wait for an approval, and
// versions of skills that wait for a review. It reads indexes only, since every page asks.
func (tx *Tx) Undecided(ctx context.Context) (scripts, versions int, err error) {
	err = tx.row(ctx, `SELECT (SELECT count(*) FROM approvals WHERE state = 'open'),
		(SELECT count(*) FROM skill_versions WHERE state = 'quarantined' AND blob_id IS NOT NULL)`).Scan(&scripts, &versions)
	return scripts, versions, failed("count what is undecided", err)
}
