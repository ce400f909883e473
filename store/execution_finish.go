package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
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
	Truncated   bool
	Masked      map[string]int // places by channel
	StartedAt   time.Time      // zero if the script was never sent
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
	Host, Rule redact.Clean
}

// Finish ends an execution that is not terminal yet; CodeConflict if it is.
func (tx *Tx) Finish(ctx context.Context, handle string, f Finish) error {
	manifest, err := json.Marshal(f.Manifest)
	if err != nil {
		return fmt.Errorf("store: finish: %w", err)
	}
	masked := 0
	for _, n := range f.Masked {
		masked += n
	}
	rows, err := gorm.G[executionRow](tx.db).Raw(`UPDATE executions SET status = ?, error = ?, error_line = ?, truncated = ?, redactions = ?, started_at = ?,
		first_output_at = ?, completed_at = ?, run_ms = ?, llm_ms = ?, cpu_ms = ?, peak_memory = ?, manifest = ?
		WHERE handle = ? AND status IN ('pending', 'running', 'awaiting_llm') RETURNING *`,
		string(f.Status), f.Error.String(), f.ErrorLine, f.Truncated, masked, toMillis(f.StartedAt),
		toMillis(f.FirstOutput), toMillis(f.At), f.RunTime.Milliseconds(), f.LLMTime.Milliseconds(), f.CPUTime.Milliseconds(), f.PeakMemory, string(manifest),
		handle).Find(ctx)
	if err := changed(int64(len(rows)), err, "execution"); err != nil {
		return err
	}
	if err := tx.keepOutput(ctx, rows[0].ID, f); err != nil {
		return err
	}
	return tx.countDay(ctx, rows[0], f)
}

func (tx *Tx) keepOutput(ctx context.Context, id int64, f Finish) error {
	out := executionOutputRow{ExecutionID: id, Stdout: f.Stdout.String(), Stderr: f.Stderr.String(), Segments: "[]"}
	if f.Result != nil {
		text := f.Result.String()
		out.Result = &text
	}
	if err := gorm.G[executionOutputRow](tx.db).Create(ctx, &out); err != nil {
		return fmt.Errorf("store: finish: %w", err)
	}
	var hits []redactionHitRow
	for channel, n := range f.Masked {
		if n > 0 {
			hits = append(hits, redactionHitRow{ExecutionID: id, Channel: channel, Count: n})
		}
	}
	if len(hits) > 0 {
		if err := gorm.G[redactionHitRow](tx.db).CreateInBatches(ctx, &hits, 100); err != nil {
			return fmt.Errorf("store: finish: %w", err)
		}
	}
	return tx.keepConnections(ctx, id, f.Network)
}

// countDay adds the execution to its profile's day.
func (tx *Tx) countDay(ctx context.Context, x executionRow, f Finish) error {
	day, run := f.At.Unix()/86400, f.RunTime.Milliseconds()
	old, err := gorm.G[dailyStatsRow](tx.db).Where("profile_handle = ? AND day = ?", x.ProfileHandle, day).Find(ctx)
	if err != nil {
		return fmt.Errorf("store: count the day: %w", err)
	}
	stats := dailyStatsRow{ProfileHandle: x.ProfileHandle, Day: day, Durations: "[]"}
	if len(old) > 0 {
		stats = old[0]
	}
	switch f.Status {
	case app.StatusCompleted:
		stats.Completed++
	case app.StatusError:
		stats.Error++
	case app.StatusTimeout:
		stats.Timeout++
	case app.StatusCancelled:
		stats.Cancelled++
	}
	stats.RunMs += run
	stats.RunMsMax = max(stats.RunMsMax, run)
	stats.LLMMs += f.LLMTime.Milliseconds()
	for _, n := range f.Masked {
		stats.Redactions += int64(n)
	}
	if stats.Durations, err = countDuration(stats.Durations, run); err != nil {
		return fmt.Errorf("store: count the day: %w", err)
	}
	if err := tx.db.WithContext(ctx).Save(&stats).Error; err != nil {
		return fmt.Errorf("store: count the day: %w", err)
	}
	return nil
}

// countDuration adds one to the bucket of ms: bucket n counts durations of n bits, so below 2^n ms.
func countDuration(buckets string, ms int64) (string, error) {
	var counts []int64
	if err := json.Unmarshal([]byte(buckets), &counts); err != nil {
		return "", err
	}
	n := bits.Len64(uint64(max(ms, 0)))
	for len(counts) <= n {
		counts = append(counts, 0)
	}
	counts[n]++
	text, err := json.Marshal(counts)
	return string(text), err
}
