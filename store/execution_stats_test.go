package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store/storefill"
)

// filled opens a store with n executions, the newest at start.
func filled(t testing.TB, n int) *Store {
	t.Helper()
	return filledIn(t, t.TempDir(), n)
}

// filledIn is filled in a directory that may have been filled before.
func filledIn(t testing.TB, dir string, n int) *Store {
	t.Helper()
	_, missing := os.Stat(filepath.Join(dir, FileName))
	create(t, dir)
	if missing != nil {
		if err := storefill.Fill(t.Context(), filepath.Join(dir, FileName), n, start); err != nil {
			t.Fatal(err)
		}
	}
	s, err := openWith(t.Context(), dir, nil, unsynced)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestEveryEndIsCounted: by hour and by day, whatever way an execution ended, and only once.
func TestEveryEndIsCounted(t *testing.T) {
	s := queue(t)
	for i, end := range []Finish{
		{Status: app.StatusCompleted, StartedAt: start, RunTime: 847 * time.Millisecond},
		{Status: app.StatusCompleted, StartedAt: start, RunTime: 843 * time.Millisecond},
		{Status: app.StatusError, StartedAt: start, RunTime: 61234 * time.Millisecond},
		{Status: app.StatusTimeout, StartedAt: start, RunTime: 7 * time.Millisecond},
		{Status: app.StatusCancelled}, // never started: no duration
	} {
		handle := fmt.Sprint("x", i)
		enqueue(t, s, handle, "a", start)
		claim(t, s)
		end.At = start.Add(time.Duration(i) * time.Minute)
		write(t, s, func(tx *Tx) error { _, err := tx.Executions.Finish(t.Context(), handle, end); return err })
	}
	want := Usage{ProfileHandle: "a", Profile: "profile a", Completed: 2, Error: 1, Timeout: 1, Cancelled: 1, Started: 4,
		RunTime:   (847 + 843 + 61234 + 7) * time.Millisecond,
		Durations: []Duration{{840 * time.Millisecond, 2}, {61 * time.Second, 1}, {7 * time.Millisecond, 1}}}
	for _, span := range []time.Duration{Hourly, Quarterly, Daily} {
		var got []Usage
		if err := s.Read(t.Context(), func(tx *Tx) (err error) {
			got, err = tx.Stats.Usage(t.Context(), span, start.Truncate(span), start.Truncate(span).Add(span))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		want.Start = start.Truncate(span)
		if diff := cmp.Diff([]Usage{want}, got); diff != "" {
			t.Errorf("%v: %s", span, diff)
		}
	}
}

// TestMigrationCountsWhatIsThere: a database from before the statistics has them afterwards, as if
// they had always been kept.
func TestMigrationCountsWhatIsThere(t *testing.T) {
	all, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	at := len(all)
	for i, m := range all {
		if m.name == "desk" {
			at = i
		}
	}
	s, dir := bare(t)
	if err := migrate(t.Context(), s.writer, dir, all[:at], nil); err != nil {
		t.Fatal(err)
	}
	for i, row := range []string{"'completed', 1000, 847, ''", "'completed', 1000, 841, ''",
		"'error', 1000, 2000, 'KeyError: quagga'", "'cancelled', 0, 0, ''"} {
		if err := s.writer.Exec(fmt.Sprintf(
			`INSERT INTO executions (id, handle, lookup, sealed_id, profile_handle, policy, timeout_ms, created_at,
				completed_at, status, started_at, run_ms, error)
			VALUES (%d, 'h%d', cast('l%d' AS BLOB), x'01', 'p', 1, 1, 1, 7200000, %s)`, i+1, i, i, row)).Error; err != nil {
			t.Fatal(err)
		}
	}
	if err := migrate(t.Context(), s.writer, dir, all, nil); err != nil {
		t.Fatal(err)
	}
	var rows []executionStatsRow
	if err := s.writer.Order("span").Find(&rows).Error; err != nil {
		t.Fatal(err)
	}
	row := executionStatsRow{ProfileHandle: "p", Span: 3600, Start: 7200, Completed: 2, Error: 1, Cancelled: 1, Started: 3,
		RunMs: 3688, Durations: `{"2000":1,"840":2}`}
	quarter, day := row, row
	quarter.Span, quarter.Start, day.Span, day.Start = 21600, 0, 86400, 0
	if diff := cmp.Diff([]executionStatsRow{row, quarter, day}, rows); diff != "" {
		t.Error(diff)
	}
	if n := count(t, s, "SELECT rowid FROM execution_words WHERE execution_words MATCH 'quagga'"); n != 3 {
		t.Errorf("the words lead to %d", n)
	}
}

func TestDurationsAreReadStrictly(t *testing.T) {
	for text, want := range map[string][]Duration{
		`{}`: nil, ` { } `: nil, `{"7":1}`: {{7 * time.Millisecond, 1}},
		`{ "7" : 1, "840":23 }`: {{7 * time.Millisecond, 1}, {840 * time.Millisecond, 23}},
	} {
		got, err := durations(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", "{", "}", "[1]", `{"7"}`, `{7:1}`, `{"7":1,}`, `{"":1}`, `{"7":x}`, `{"7":1.5}`,
		`{"7":99999999999999999999}`, `{"7":{"8":1}}`} {
		if got, err := durations(text); err == nil {
			t.Errorf("%s was read as %v", text, got)
		}
	}
}
