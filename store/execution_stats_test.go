package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// Every kind of end counts once, by hour and by day.
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

func TestBeats(t *testing.T) {
	s := open(t)
	var values []string
	for i := range 300 {
		values = append(values, fmt.Sprintf("('x%d', x'%06x', x'01', '%s', 1, 1, %d, 'completed', %d, 5)", i, i+1,
			[]string{"p", "q", "r"}[i%3], i+1, i+1))
	}
	if err := s.writer.Exec("INSERT INTO executions (handle, lookup, sealed_id, profile_handle, policy, timeout_ms, " +
		"created_at, status, completed_at, run_ms) VALUES " + strings.Join(values, ",")).Error; err != nil {
		t.Fatal(err)
	}
	err := s.Read(t.Context(), func(tx *Tx) error {
		beats, err := tx.Stats.Recent(t.Context(), []string{"p", "q", "none"}, 50)
		if len(beats) != 2 || len(beats["p"]) != 50 || beats["p"][49].Handle != "x297" || beats["p"][0].Handle != "x150" ||
			beats["q"][49].Handle != "x298" {
			t.Errorf("beats %v", beats)
		}
		if none, err := tx.Stats.Recent(t.Context(), nil, 50); len(none) != 0 || err != nil {
			t.Errorf("of nobody: %v %v", none, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var plan []struct{ Detail string }
	if err := s.reader.Raw("EXPLAIN QUERY PLAN "+selectOutcomes, `["p"]`, 50, `["p"]`).Scan(&plan).Error; err != nil {
		t.Fatal(err)
	}
	details := fmt.Sprint(plan)
	if !strings.Contains(details, "executions_profile ") || strings.Contains(details, "SCAN x") ||
		strings.Contains(details, "SCAN executions") {
		t.Errorf("the query reads more than it has to: %s", details)
	}
}
