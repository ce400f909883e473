package store

import (
	"context"
	"time"
)

// rejectedRows is how many of the latest refused requests are looked through.
const rejectedRows = 1000

// Rejection sums up the requests with a key's sealed value that a host answered with 401 or 403.
type Rejection struct {
	ProfileHandle string
	Key           string
	Host          string
	Status        int // of the latest
	Runs          int
	At            time.Time // of the latest
}

type rejectionRow struct {
	ProfileHandle string
	Key           string
	Host          string
	Status        int
	Runs          int
	At            int64
}

// Rejections lists what hosts refused since a time and have not accepted from the same key since,
// newest first.
func (tx Executions) Rejections(ctx context.Context, since time.Time) ([]Rejection, error) {
	return selectAs(ctx, tx.conn, rejectionRow.rejection, "read rejections", `
		WITH refused AS (
			SELECT x.profile_handle, k.value AS key, c.host, c.status, count(DISTINCT c.execution_id) AS runs,
				max(c.started_at) AS at, c.execution_id
			FROM (SELECT execution_id, host, status, credentials, started_at FROM connections
				WHERE status IN (401, 403) AND verdict = 'allowed' AND credentials <> '[]'
				ORDER BY execution_id DESC LIMIT ?) c
			JOIN executions x ON x.id = c.execution_id, json_each(c.credentials) k
			WHERE c.started_at >= ?
			GROUP BY x.profile_handle, k.value, c.host)
		SELECT profile_handle, key, host, status, runs, at FROM refused r
		WHERE NOT EXISTS (SELECT 1 FROM connections later JOIN executions y ON y.id = later.execution_id
			WHERE later.host = r.host AND later.execution_id >= r.execution_id AND later.started_at > r.at
			AND later.verdict = 'allowed' AND later.status BETWEEN 200 AND 399 AND y.profile_handle = r.profile_handle
			AND instr(later.credentials, json_quote(r.key)) > 0)
		ORDER BY at DESC`, rejectedRows, toMillis(since))
}

func (r rejectionRow) rejection() (Rejection, error) {
	return Rejection{
		ProfileHandle: r.ProfileHandle, Key: r.Key, Host: r.Host, Status: r.Status, Runs: r.Runs, At: fromMillis(r.At),
	}, nil
}
