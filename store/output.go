package store

import (
	"context"
	"encoding/json"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
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
	rows, err := gorm.G[executionOutputRow](tx.db).Where("execution_id = ?", id).Find(ctx)
	if err != nil || len(rows) == 0 {
		return app.Output{}, notFound(err, "output")
	}
	return rows[0].output()
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
