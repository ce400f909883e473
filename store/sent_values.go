package store

import (
	"context"

	"github.com/computclaw/airlock/app"
)

// SentValue is a request that had a credential's sealed value in it.
type SentValue struct {
	Execution string // handle
	Profile   string // description when it ran
	app.Connection
}

type sentValueRow struct {
	Handle, ProfileDescription, Host, Method, Path string
	Port, Status, Line                             int
	StartedAt                                      int64
}

func (r sentValueRow) value() (SentValue, error) {
	return SentValue{Execution: r.Handle, Profile: r.ProfileDescription, Connection: app.Connection{
		Host: r.Host, Port: r.Port, Method: r.Method, Path: r.Path, Status: r.Status, Line: r.Line,
		StartedAt: fromMillis(r.StartedAt), Verdict: app.VerdictAllowed,
	}}, nil
}

// Bounds of SentValues.
const (
	sentRows       = 20
	sentExecutions = 1000
)

// SentValues lists the newest requests that had a credential's sealed value in them, in its last
// 1,000 executions.
func (tx Executions) SentValues(ctx context.Context, credentialID string) ([]SentValue, error) {
	return selectAs(ctx, tx.conn, sentValueRow.value, "read sent values", sentValues,
		credentialID, credentialID, sentExecutions, sentRows)
}

const sentValues = `SELECT x.handle, x.profile_description, c.host, c.port, c.method, c.path, c.status, c.line,
		c.started_at
	FROM execution_values v CROSS JOIN connections c ON c.execution_id = v.execution_id
		CROSS JOIN executions x ON x.id = v.execution_id
	WHERE v.credential_id = ? AND v.execution_id >= (SELECT min(execution_id) FROM (SELECT execution_id
			FROM execution_values WHERE credential_id = ? ORDER BY execution_id DESC LIMIT ?))
		AND c.credentials <> '[]' AND instr(c.credentials, json_quote(v.key)) > 0
	ORDER BY v.execution_id DESC, c.ordinal DESC LIMIT ?`
