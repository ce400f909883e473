package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
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
}

// Connection is a ledger row whose texts, which a script can choose, have been redacted.
type Connection struct {
	app.Connection
	Host, Rule, Method, Path redact.Clean
}

// Ended is an execution as it stands once it has ended, as reading it would give it: but for its
// ledger.
type Ended struct {
	Execution
	Row    int64
	Output app.Output
}

// Finish ends an execution that is not terminal yet; CodeConflict if it is.
func (tx Executions) Finish(ctx context.Context, handle string, f Finish) (Ended, error) {
	manifest, err := json.Marshal(f.Manifest)
	if err != nil {
		return Ended{}, fmt.Errorf("store: finish: %w", err)
	}
	masked := 0
	for _, hits := range f.Masked {
		masked += hits.Total()
	}
	var row executionRow
	err = tx.row(ctx, finish,
		string(f.Status), f.Error.String(), f.ErrorLine, f.Truncated, masked, toMillis(f.StartedAt),
		toMillis(f.FirstOutput), toMillis(f.At), f.RunTime.Milliseconds(), f.LLMTime.Milliseconds(), f.CPUTime.Milliseconds(),
		f.PeakMemory, string(manifest),
		handle).Scan(row.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return Ended{}, conflict("execution")
	}
	if err != nil {
		return Ended{}, fmt.Errorf("store: finish: %w", err)
	}
	output, err := tx.keepOutput(ctx, row.ID, f)
	if err != nil {
		return Ended{}, err
	}
	if err := tx.keepWords(ctx, row.ID); err != nil {
		return Ended{}, err
	}
	x, err := executionView{Row: row}.execution()
	return Ended{x, row.ID, output}, err
}

const finish = `UPDATE executions SET status = ?, error = ?, error_line = ?, truncated = ?, redactions = ?, started_at = ?,
		first_output_at = ?, completed_at = ?, run_ms = ?, llm_ms = ?, cpu_ms = ?, peak_memory = ?, manifest = ?
	WHERE handle = ? AND status IN ('pending', 'running', 'awaiting_llm') RETURNING ` + executionFields

// executionFields are the columns that an execution is read from, in the order of fields.
const executionFields = `id, handle, sealed_id, profile_handle, profile_description, policy, status, timeout_ms, error, error_line, backend, isolation, warm,
	truncated, redactions, injected, rerun_of, created_at, started_at, first_output_at, completed_at, run_ms, llm_ms, cpu_ms, peak_memory, manifest, live, trace`

func (r *executionRow) fields() []any {
	return []any{
		&r.ID, &r.Handle, &r.SealedID, &r.ProfileHandle, &r.ProfileDescription, &r.Policy, &r.Status, &r.TimeoutMs, &r.Error,
		&r.ErrorLine, &r.Backend, &r.Isolation, &r.Warm,
		&r.Truncated, &r.Redactions, &r.Injected, &r.RerunOf, &r.CreatedAt, &r.StartedAt, &r.FirstOutputAt, &r.CompletedAt,
		&r.RunMs, &r.LLMMs, &r.CPUMs, &r.PeakMemory, &r.Manifest, &r.Live, &r.Trace,
	}
}

// keepWords makes the execution findable by its words. Its other tables must be written already.
func (tx Executions) keepWords(ctx context.Context, id int64) error {
	if _, err := tx.insert(ctx, insertWords+"x.id = ?", id); err != nil {
		return fmt.Errorf("store: finish: %w", err)
	}
	return nil
}

const insertWords = `INSERT INTO execution_words (rowid, text)
		SELECT x.id, x.handle || char(10) || x.profile_description || char(10) || x.error || char(10) || substr(coalesce(s.clean, ''), 1, 8000) || char(10) ||
			substr(coalesce(o.stdout, ''), 1, 4000) || char(10) || substr(coalesce(o.stderr, ''), 1, 4000) || char(10) || substr(coalesce(o.result, ''), 1, 4000)
		FROM executions x LEFT JOIN execution_scripts s ON s.execution_id = x.id LEFT JOIN execution_outputs o ON o.execution_id = x.id WHERE `

// keepOutput stores what came out of the box and returns it as reading it would give it.
func (tx Executions) keepOutput(ctx context.Context, id int64, f Finish) (app.Output, error) {
	row := executionOutputRow{ExecutionID: id, Stdout: f.Stdout.String(), Stderr: f.Stderr.String(),
		Segments: toJSON(append([]int{}, f.Turns...))}
	if f.Result != nil {
		row.Result = new(f.Result.String())
	}
	_, err := tx.insert(ctx, "INSERT INTO execution_outputs (execution_id, stdout, stderr, result, segments) VALUES (?, "+
		"?, ?, ?, ?)",
		id, row.Stdout, row.Stderr, row.Result, row.Segments)
	if err != nil {
		return app.Output{}, fmt.Errorf("store: finish: %w", err)
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
			return app.Output{}, fmt.Errorf("store: finish: %w", err)
		}
	}
	if err := tx.keepConnections(ctx, id, f.Network); err != nil {
		return app.Output{}, err
	}
	return row.output()
}
