package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

// OutcomesKept bounds the recent outcomes of a profile, whether their executions were removed or
// not.
const OutcomesKept = 50

// Outcome is how one of the last executions of a profile ended.
type Outcome struct {
	Handle    string // "" if the execution was removed
	Status    app.Status
	CreatedAt time.Time
	RunTime   time.Duration
}

const selectOutcomes = `SELECT p.value AS profile, x.handle, x.status, x.created_at, x.run_ms, x.id
	FROM json_each(?) p JOIN executions x ON x.id IN (
		SELECT id FROM executions WHERE profile_handle = p.value ORDER BY id DESC LIMIT ?)
	UNION ALL SELECT p.value, '', b.status, b.created_at, b.run_ms, b.id
	FROM json_each(?) p JOIN past_beats b ON b.profile_handle = p.value
	ORDER BY 6`

// Recent returns the last executions of each profile, oldest first, at most limit (and
// OutcomesKept) of each. It reads no more rows than that, however many there are.
func (tx Stats) Recent(ctx context.Context, profiles []string, limit int) (map[string][]Outcome, error) {
	type row struct {
		Profile   string
		Handle    string
		Status    string
		CreatedAt int64
		RunMs     int64
	}
	list := listJSON(profiles)
	rows, err := selectAll[row](ctx, tx.conn, "read recent outcomes", selectOutcomes, list, limit, list)
	if err != nil {
		return nil, err
	}
	outcomes := map[string][]Outcome{}
	for _, r := range rows {
		outcomes[r.Profile] = append(outcomes[r.Profile],
			Outcome{r.Handle, app.Status(r.Status), fromMillis(r.CreatedAt), time.Duration(r.RunMs) * time.Millisecond})
	}
	for profile, all := range outcomes {
		outcomes[profile] = all[max(len(all)-limit, 0):]
	}
	return outcomes, nil
}

// keepOutcomes and trimOutcomes keep the outcomes of executions that are about to be removed.
const (
	keepOutcomes = `INSERT INTO past_beats (profile_handle, id, status, created_at, run_ms)
		SELECT profile_handle, id, status, created_at, run_ms FROM executions
		WHERE id IN (SELECT value FROM json_each(?))`
	trimOutcomes = `DELETE FROM past_beats WHERE profile_handle IN (SELECT DISTINCT profile_handle FROM executions
			WHERE id IN (SELECT value FROM json_each(?)))
		AND id NOT IN (SELECT b.id FROM past_beats b WHERE b.profile_handle = past_beats.profile_handle
			ORDER BY b.id DESC LIMIT ?)`
)
