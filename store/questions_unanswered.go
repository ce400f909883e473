package store

import (
	"context"
	"time"
)

// Unanswered is a question that waits for its answer.
type Unanswered struct {
	Handle        string // of the execution
	ProfileHandle string
	AskedAt       time.Time
}

type unansweredRow struct {
	Handle, ProfileHandle string
	AskedAt               int64
}

// Unanswered lists questions that were asked before a time and still wait, oldest first, at most
// 20.
func (tx Questions) Unanswered(ctx context.Context, before time.Time) ([]Unanswered, error) {
	return selectAs(ctx, tx.conn, func(r unansweredRow) (Unanswered, error) {
		return Unanswered{r.Handle, r.ProfileHandle, fromMillis(r.AskedAt)}, nil
	}, "read unanswered questions", `SELECT x.handle, x.profile_handle, q.asked_at
		FROM executions x INDEXED BY executions_status JOIN llm_exchanges q ON q.execution_id = x.id
		WHERE x.status = 'awaiting_llm' AND q.answered_at = 0 AND q.asked_at <= ? ORDER BY q.asked_at LIMIT 20`,
		toMillis(before))
}
