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

// Finish ends an execution that is not terminal yet; CodeConflict if it is.
func (tx *Tx) Finish(ctx context.Context, handle string, f Finish) error {
	manifest, err := json.Marshal(f.Manifest)
	if err != nil {
		return fmt.Errorf("store: finish: %w", err)
	}
	masked := 0
	for _, hits := range f.Masked {
		masked += hits.Total()
	}
	var id int64
	err = tx.row(ctx, `UPDATE executions SET status = ?, error = ?, error_line = ?, truncated = ?, redactions = ?, started_at = ?,
		first_output_at = ?, completed_at = ?, run_ms = ?, llm_ms = ?, cpu_ms = ?, peak_memory = ?, manifest = ?
		WHERE handle = ? AND status IN ('pending', 'running', 'awaiting_llm') RETURNING id`,
		string(f.Status), f.Error.String(), f.ErrorLine, f.Truncated, masked, toMillis(f.StartedAt),
		toMillis(f.FirstOutput), toMillis(f.At), f.RunTime.Milliseconds(), f.LLMTime.Milliseconds(), f.CPUTime.Milliseconds(), f.PeakMemory, string(manifest),
		handle).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return conflict("execution")
	}
	if err != nil {
		return fmt.Errorf("store: finish: %w", err)
	}
	if err := tx.keepOutput(ctx, id, f); err != nil {
		return err
	}
	return tx.keepWords(ctx, id)
}

// keepWords makes the execution findable by its words. Its other tables must be written already.
func (tx *Tx) keepWords(ctx context.Context, id int64) error {
	if _, err := tx.insert(ctx, insertWords+"x.id = ?", id); err != nil {
		return fmt.Errorf("store: finish: %w", err)
	}
	return nil
}

const insertWords = `INSERT INTO execution_words (rowid, text)
		SELECT x.id, x.handle || char(10) || x.profile_description || char(10) || x.error || char(10) || substr(coalesce(s.clean, ''), 1, 8000) || char(10) ||
			substr(coalesce(o.stdout, ''), 1, 4000) || char(10) || substr(coalesce(o.stderr, ''), 1, 4000) || char(10) || substr(coalesce(o.result, ''), 1, 4000)
		FROM executions x LEFT JOIN execution_scripts s ON s.execution_id = x.id LEFT JOIN execution_outputs o ON o.execution_id = x.id WHERE `

func (tx *Tx) keepOutput(ctx context.Context, id int64, f Finish) error {
	var result sql.NullString
	if f.Result != nil {
		result = sql.NullString{String: f.Result.String(), Valid: true}
	}
	_, err := tx.insert(ctx, "INSERT INTO execution_outputs (execution_id, stdout, stderr, result, segments) VALUES (?, ?, ?, ?, ?)",
		id, f.Stdout.String(), f.Stderr.String(), result, toJSON(append([]int{}, f.Turns...)))
	if err != nil {
		return fmt.Errorf("store: finish: %w", err)
	}
	var hits []redactionHitRow
	for channel, masked := range f.Masked {
		for _, h := range masked {
			hits = append(hits, redactionHitRow{ExecutionID: id, Channel: channel, Name: h.Name, Rule: h.Rule, Encoding: h.Encoding, Count: h.Count})
		}
	}
	if len(hits) > 0 {
		if err := gorm.G[redactionHitRow](tx.db).CreateInBatches(ctx, &hits, 100); err != nil {
			return fmt.Errorf("store: finish: %w", err)
		}
	}
	return tx.keepConnections(ctx, id, f.Network)
}
