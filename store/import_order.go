package store

import (
	"context"
	"time"
)

// settingDisorder is set if executions stand in the table before others that are older by more than
// clockSlack, as an import into an instance with a history of its own leaves them: their rows get
// the next numbers, and keep their dates. (So does a clock that was set back by as much.) It stays
// set when these executions are gone, which costs little.
const settingDisorder = "executions.disorder"

// selectDisorder reads no more than the index of times.
const selectDisorder = `SELECT EXISTS (SELECT 1 FROM (
	SELECT id, max(id) OVER (ORDER BY created_at RANGE BETWEEN UNBOUNDED PRECEDING AND ? PRECEDING) AS before
	FROM executions) WHERE before > id)`

// NoteOrder finds out, after executions were loaded, whether their row numbers still grow with
// time.
func (tx Executions) NoteOrder(ctx context.Context, at time.Time) error {
	disorder, err := selectValue[bool](ctx, tx.conn, "order of executions", selectDisorder, clockSlack.Milliseconds()+1)
	if err != nil {
		return err
	}
	if !disorder {
		return Settings(tx).Delete(ctx, settingDisorder)
	}
	return Settings(tx).Set(ctx, at, Setting{Key: settingDisorder, Value: []byte("1")})
}

// disordered reports whether row numbers say nothing about time.
func (tx *conn) disordered(ctx context.Context) (bool, error) {
	_, set, err := Settings{tx}.Get(ctx, settingDisorder)
	return set, err
}
