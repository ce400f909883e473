package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Finish is everything that is kept of an execution when it ends.
type Finish struct {
	Status      app.Status // terminal
	Error       redact.Clean
	ErrorLine   int
	Stdout      redact.Clean
	Stderr      redact.Clean
	Result      *redact.Clean // nil if there is none
	Turns       []int         // as in app.Output
	Truncated   bool
	Masked      map[string]redact.Hits // by channel
	StartedAt   time.Time              // zero if the script was never sent
	FirstOutput time.Time
	At          time.Time
	RunTime     time.Duration
	LLMTime     time.Duration
	CPUTime     time.Duration
	PeakMemory  int64
	Manifest    app.Manifest
	Network     []Connection
	Artifacts   []StoredArtifact
}

// Connection is a ledger row with redacted texts, which a script can choose.
type Connection struct {
	app.Connection
	Host, Rule, Method, Path redact.Clean
}

// Ended is an ended execution as a read would return it, without its ledger.
type Ended struct {
	Execution
	Row    int64
	Output app.Output
}

// Finish ends an execution. CodeConflict if it is terminal already.
func (tx Executions) Finish(ctx context.Context, handle string, f Finish) (Ended, error) {
	masked := 0
	for _, hits := range f.Masked {
		masked += hits.Total()
	}
	var row executionRow
	err := tx.row(ctx, finish,
		string(f.Status), f.Error.String(), f.ErrorLine, f.Truncated, masked, toMillis(f.StartedAt),
		toMillis(f.FirstOutput), toMillis(f.At), f.RunTime.Milliseconds(), f.LLMTime.Milliseconds(), f.CPUTime.Milliseconds(),
		f.PeakMemory, toJSON(f.Manifest), handle).Scan(row.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return Ended{}, conflict("execution")
	}
	if err != nil {
		return Ended{}, wrapError("finish", err)
	}
	output, err := tx.keepOutput(ctx, row.ID, row.ProfileHandle, f)
	if err != nil {
		return Ended{}, err
	}
	if _, err := tx.keepWords(ctx, "x.id = ?", row.ID); err != nil {
		return Ended{}, err
	}
	x, err := row.execution()
	return Ended{x, row.ID, output}, err
}

const finish = `UPDATE executions SET status = ?, error = ?, error_line = ?, truncated = ?, redactions = ?,
		started_at = ?, first_output_at = ?, completed_at = ?, run_ms = ?, llm_ms = ?, cpu_ms = ?, peak_memory = ?,
		manifest = ?
	WHERE handle = ? AND status IN ('awaiting_approval', 'pending', 'running', 'awaiting_llm')
	RETURNING ` + executionFields

// keepOutput stores a box's output and returns it as a read would.
func (tx Executions) keepOutput(ctx context.Context, id int64, profileHandle string, f Finish) (app.Output, error) {
	row := executionOutputRow{ExecutionID: id, Stdout: f.Stdout.String(), Stderr: f.Stderr.String(),
		Segments: listJSON(f.Turns)}
	if f.Result != nil {
		row.Result = new(f.Result.String())
	}
	_, err := tx.insert(ctx, `INSERT INTO execution_outputs (execution_id, stdout, stderr, result, segments)
		VALUES (?, ?, ?, ?, ?)`, id, row.Stdout, row.Stderr, row.Result, row.Segments)
	if err != nil {
		return app.Output{}, wrapError("finish", err)
	}
	var hits []redactionHitRow
	for channel, masked := range f.Masked {
		for _, h := range masked {
			hits = append(hits, redactionHitRow{ExecutionID: id, Channel: channel, Name: h.Name, Rule: h.Rule,
				Encoding: h.Encoding, Count: h.Count})
		}
	}
	if len(hits) > 0 {
		if err := gorm.G[redactionHitRow](tx.db).CreateInBatches(ctx, &hits, 100); err != nil {
			return app.Output{}, wrapError("finish", err)
		}
	}
	if err := tx.keepArtifacts(ctx, id, profileHandle, f.Artifacts); err != nil {
		return app.Output{}, err
	}
	if err := tx.keepConnections(ctx, id, f.Network); err != nil {
		return app.Output{}, err
	}
	return row.output()
}
