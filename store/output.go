package store

import (
	"context"
	"encoding/json"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Output returns what a terminal execution printed and returned. CodeNotFound if there is no such
// execution; empty while it is not terminal.
func (tx Executions) Output(ctx context.Context, handle string) (app.Output, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return app.Output{}, err
	}
	return tx.output(ctx, id)
}

func (tx Executions) output(ctx context.Context, id int64) (app.Output, error) {
	row, err := selectValue[executionOutputRow](ctx, tx.conn, "read output",
		"SELECT * FROM execution_outputs WHERE execution_id = ?", id)
	if err != nil || row.ExecutionID == 0 {
		return app.Output{}, err
	}
	return row.output()
}

func (r executionOutputRow) output() (app.Output, error) {
	out := app.Output{Stdout: r.Stdout, Stderr: r.Stderr}
	if turns, err := fromJSON[[]int]("segments", r.Segments); err != nil {
		return app.Output{}, err
	} else if len(turns) > 0 {
		out.Turns = turns
	}
	if r.Result != nil {
		out.Result = json.RawMessage(*r.Result)
	}
	return out, nil
}

// RedactionHits returns what was masked in an execution, by channel. It is empty until the
// execution has ended. CodeNotFound if there is no such execution.
func (tx Executions) RedactionHits(ctx context.Context, handle string) (map[string]redact.Hits, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	rows, err := selectAll[redactionHitRow](ctx, tx.conn, "read redaction hits",
		"SELECT * FROM redaction_hits WHERE execution_id = ? ORDER BY channel, name, rule, encoding", id)
	if err != nil {
		return nil, err
	}
	hits := map[string]redact.Hits{}
	for _, r := range rows {
		hits[r.Channel] = append(hits[r.Channel],
			redact.Hit{Name: r.Name, Rule: r.Rule, Encoding: r.Encoding, Count: r.Count})
	}
	return hits, nil
}
