package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// Spans of the statistics.
const (
	Hourly    = time.Hour
	Quarterly = 6 * time.Hour // of a UTC day
	Daily     = 24 * time.Hour
)

// Usage counts what ended under one profile in one span of time.
type Usage struct {
	ProfileHandle string
	Profile       string // description as of the last execution
	Start         time.Time
	Completed     int64
	Error         int64
	Timeout       int64
	Cancelled     int64
	Started       int64 // of these; only they have durations
	RunTime       time.Duration
	Redactions    int64
	Durations     []Duration // how often each came, rounded down to two digits
}

// Usage lists what ended in [from, to), per profile and span. It leaves out profiles without
// executions. Its cost doesn't depend on their number.
func (tx Stats) Usage(ctx context.Context, span time.Duration, from, to time.Time) ([]Usage, error) {
	return selectAs(ctx, tx.conn, executionStatsRow.usage, "read statistics", `SELECT * FROM execution_stats
		WHERE span = ? AND start >= ? AND start < ? ORDER BY start, profile_handle`,
		int64(span.Seconds()), from.Unix(), to.Unix())
}

func (r executionStatsRow) usage() (Usage, error) {
	times, err := durations(r.Durations)
	return Usage{ProfileHandle: r.ProfileHandle, Profile: r.ProfileDescription, Start: time.Unix(r.Start, 0).UTC(),
		Completed: r.Completed, Error: r.Error, Timeout: r.Timeout, Cancelled: r.Cancelled, Started: r.Started,
		RunTime: time.Duration(r.RunMs) * time.Millisecond, Redactions: r.Redactions, Durations: times}, err
}

// Duration counts how often executions ran that long.
type Duration struct {
	Ran   time.Duration
	Times int64
}

// durations parses an object of numbers by milliseconds. A general decoder is too slow for a month
// of them.
func durations(text string) ([]Duration, error) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	inner, end := strings.CutSuffix(inner, "}")
	if !ok || !end {
		return nil, errDurations
	}
	if inner = strings.TrimSpace(inner); inner == "" {
		return nil, nil
	}
	list := make([]Duration, 0, 1+strings.Count(inner, ","))
	for pair := range strings.SplitSeq(inner, ",") {
		key, value, _ := strings.Cut(pair, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if len(key) < 3 || key[0] != '"' || key[len(key)-1] != '"' {
			return nil, errDurations
		}
		ms, err := strconv.ParseInt(key[1:len(key)-1], 10, 64)
		if err != nil {
			return nil, errDurations
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, errDurations
		}
		list = append(list, Duration{time.Duration(ms) * time.Millisecond, n})
	}
	return list, nil
}

var errDurations = errors.New("store: statistics can't be read: durations is not an object of numbers by milliseconds")

// OutcomesKept bounds a profile's recent outcomes, including those of removed executions.
const OutcomesKept = 50

// Outcome is how one of the last executions of a profile ended.
type Outcome struct {
	Handle    string // "" if the execution was removed
	Status    app.Status
	CreatedAt time.Time
	RunTime   time.Duration
}

const selectOutcomes = `SELECT p.value AS profile, x.handle, x.status, x.created_at, x.run_ms, x.id
	FROM json_each(?) p JOIN executions x ON x.id IN (
		SELECT id FROM executions WHERE profile_handle = p.value ORDER BY id DESC LIMIT ?)
	UNION ALL SELECT p.value, '', b.status, b.created_at, b.run_ms, b.id
	FROM json_each(?) p JOIN past_beats b ON b.profile_handle = p.value
	ORDER BY 6`

// Recent returns each profile's last executions, oldest first, at most limit and OutcomesKept. It
// reads no more rows than that.
func (tx Stats) Recent(ctx context.Context, profiles []string, limit int) (map[string][]Outcome, error) {
	type row struct {
		Profile   string
		Handle    string
		Status    string
		CreatedAt int64
		RunMs     int64
	}
	list := listJSON(profiles)
	rows, err := selectAll[row](ctx, tx.conn, "read recent outcomes", selectOutcomes, list, limit, list)
	if err != nil {
		return nil, err
	}
	outcomes := map[string][]Outcome{}
	for _, r := range rows {
		outcomes[r.Profile] = append(outcomes[r.Profile],
			Outcome{r.Handle, app.Status(r.Status), fromMillis(r.CreatedAt), time.Duration(r.RunMs) * time.Millisecond})
	}
	for profile, all := range outcomes {
		outcomes[profile] = all[max(len(all)-limit, 0):]
	}
	return outcomes, nil
}

// keepOutcomes and trimOutcomes keep the outcomes of executions before their removal.
const (
	keepOutcomes = `INSERT INTO past_beats (profile_handle, id, status, created_at, run_ms)
		SELECT profile_handle, id, status, created_at, run_ms FROM executions
		WHERE id IN (SELECT value FROM json_each(?))`
	trimOutcomes = `DELETE FROM past_beats WHERE profile_handle IN (SELECT DISTINCT profile_handle FROM executions
			WHERE id IN (SELECT value FROM json_each(?)))
		AND id NOT IN (SELECT b.id FROM past_beats b WHERE b.profile_handle = past_beats.profile_handle
			ORDER BY b.id DESC LIMIT ?)`
)
