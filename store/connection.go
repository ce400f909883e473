package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// Connections returns an execution's ledger in order.
func (tx Executions) Connections(ctx context.Context, handle string) ([]app.Connection, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	return tx.connections(ctx, id)
}

func (tx Executions) connections(ctx context.Context, id int64) ([]app.Connection, error) {
	return selectAs(ctx, tx.conn, connectionRow.connection, "read connections",
		"SELECT * FROM connections WHERE execution_id = ? ORDER BY ordinal", id)
}

func (r connectionRow) connection() (app.Connection, error) {
	credentials, err := fromJSON[[]string]("credentials", r.Credentials)
	if len(credentials) == 0 {
		credentials = nil
	}
	return app.Connection{Host: r.Host, Port: r.Port, Verdict: app.Verdict(r.Verdict), Rule: r.Rule,
		Address: r.Address, Line: r.Line, Method: r.Method, Path: r.Path, Status: r.Status, Credentials: credentials,
		BytesUp: r.BytesUp, BytesDown: r.BytesDown, StartedAt: fromMillis(r.StartedAt),
		Duration: time.Duration(r.DurationMs) * time.Millisecond, Count: r.Count}, err
}

func (tx Executions) keepConnections(ctx context.Context, id int64, ledger []Connection) error {
	if len(ledger) == 0 {
		return nil
	}
	rows := make([]connectionRow, len(ledger))
	for i, c := range ledger {
		rows[i] = connectionRow{ExecutionID: id, Ordinal: i + 1, Host: c.Host.String(), Port: c.Port,
			Verdict: string(c.Verdict), Rule: c.Rule.String(),
			Address: c.Address, Line: c.Line, Method: c.Method.String(), Path: c.Path.String(), Status: c.Status,
			Credentials: listJSON(c.Credentials), BytesUp: c.BytesUp, BytesDown: c.BytesDown,
			StartedAt:  toMillis(c.StartedAt),
			DurationMs: c.Duration.Milliseconds(), Count: c.Count}
	}
	return failed("keep connections", gorm.G[connectionRow](tx.db).CreateInBatches(ctx, &rows, 50))
}
