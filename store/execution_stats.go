package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
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

// Usage lists what ended in [from, to), per profile and span. Profiles without an execution are
// left out. It costs the same however many executions there are.
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

// durations reads an object of numbers by milliseconds. Statistics of a month have tens of
// thousands of these, which a general decoder takes too long for.
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
