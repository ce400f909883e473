package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// queue opens a store with two profiles, "a" and "b".
func queue(t testing.TB) *Store {
	t.Helper()
	dir := t.TempDir()
	create(t, dir)
	s, err := openWith(t.Context(), dir, nil, unsynced)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	write(t, s, func(tx *Tx) error {
		for _, h := range []string{"a", "b"} {
			if _, err := tx.exec(t.Context(),
				`INSERT INTO profiles (handle, lookup, sealed_id, description, created_by, created_at, updated_at)
				VALUES (?, ?, ?, ?, '{}', 1, 1)`, h, []byte(h), []byte(h), "profile "+h); err != nil {
				return err
			}
		}
		return nil
	})
	return s
}

func write(t testing.TB, s *Store, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func enqueue(t testing.TB, s *Store, handle, profile string, at time.Time) {
	t.Helper()
	write(t, s, func(tx *Tx) error {
		_, err := tx.Queue.Add(t.Context(),
			NewExecution{Handle: handle, Lookup: []byte(handle), SealedID: []byte("sealed " + handle), ProfileHandle: profile,
				Timeout: time.Minute, Script: []byte("sealed script"), Shown: Shown{Script: redact.Fixed("print(1)")}, At: at})
		return err
	})
}

func TestEnqueueReturnsWhatItStores(t *testing.T) {
	s := queue(t)
	var got, want Execution
	write(t, s, func(tx *Tx) (err error) {
		got, err = tx.Queue.Add(t.Context(),
			NewExecution{Handle: "x", Lookup: []byte("x"), SealedID: []byte("sealed"), ProfileHandle: "a", Timeout: time.Minute,
				Script: []byte("s"), Inputs: []byte("i"), Shown: Shown{Script: redact.Fixed("c")}, RerunOf: "w", Live: true, Trace: "t",
				By: app.Actor{Kind: app.ActorAgent}, At: start})
		return err
	})
	err := s.Read(t.Context(), func(tx *Tx) (err error) {
		want, err = tx.Executions.ByHandle(t.Context(), "x")
		return err
	})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	claimed, err := Execution{}, error(nil)
	write(t, s, func(tx *Tx) error {
		claimed, _, err = tx.Queue.Claim(t.Context(), "run", "", start.Add(time.Second))
		return err
	})
	want.Status = app.StatusRunning
	if diff := cmp.Diff(want, claimed); diff != "" {
		t.Error("claimed:", diff)
	}
}

// do runs one change and returns its code.
func do(t testing.TB, s *Store, fn func(ctx context.Context, tx *Tx) error) app.Code {
	t.Helper()
	return app.CodeOf(s.Write(t.Context(), func(tx *Tx) error { return fn(t.Context(), tx) }))
}

func claim(t testing.TB, s *Store) string {
	t.Helper()
	var got Execution
	write(t, s, func(tx *Tx) (err error) {
		got, _, err = tx.Queue.Claim(t.Context(), "this run", "", start)
		return err
	})
	return got.Handle
}

func TestClaimTakesTheOldestOnce(t *testing.T) {
	s := queue(t)
	for i, h := range []string{"x1", "x2", "x3"} {
		enqueue(t, s, h, "a", start.Add(-time.Duration(i)*time.Second)) // the order of arrival counts, not the clock
	}
	got := []string{claim(t, s), claim(t, s), claim(t, s), claim(t, s)}
	if diff := cmp.Diff([]string{"x1", "x2", "x3", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestClaimLeavesProfilesThatHaveToWait(t *testing.T) {
	s := queue(t)
	enqueue(t, s, "a0", "a", start)
	enqueue(t, s, "b0", "b", start)
	write(t, s, func(tx *Tx) error {
		_, err := tx.exec(t.Context(),
			"UPDATE profiles SET backend = 'ssh', min_tier = 'full', image = 'i' WHERE handle = 'a'")
		return err
	})
	var got []string
	for _, without := range [][]string{{"a", "b"}, {"a"}, {"a"}, nil} {
		write(t, s, func(tx *Tx) error {
			places, err := tx.Queue.Placements(t.Context())
			if err != nil {
				return err
			}
			want := map[string]app.Placement{"a": {Backend: "ssh", MinTier: "full", Image: "i"}, "b": {}}
			if len(got) > 1 {
				delete(want, "b")
			}
			if diff := cmp.Diff(want, places); diff != "" {
				t.Error(diff)
			}
			x, _, err := tx.Queue.Claim(t.Context(), "this run", "", start, without...)
			got = append(got, x.Handle)
			return err
		})
	}
	if diff := cmp.Diff([]string{"", "b0", "", "a0"}, got); diff != "" {
		t.Error(diff)
	}
}

// However much one profile queues, and in any order, the others wait for one of its executions at
// most.
func TestProfilesTakeTurns(t *testing.T) {
	s := queue(t)
	for i := range 50 {
		enqueue(t, s, fmt.Sprint("a", i), "a", start)
	}
	enqueue(t, s, "b0", "b", start)
	enqueue(t, s, "b1", "b", start)
	var got []string
	after := ""
	for range 6 {
		write(t, s, func(tx *Tx) error {
			x, ok, err := tx.Queue.Claim(t.Context(), "this run", after, start)
			if !ok {
				t.Error("nothing to claim")
			}
			got, after = append(got, x.Handle), x.ProfileHandle
			return err
		})
	}
	if diff := cmp.Diff([]string{"a0", "b0", "a1", "b1", "a2", "a3"}, got); diff != "" {
		t.Error(diff)
	}
	for _, sql := range []string{claimNext, countQueue} {
		var plan []struct{ Detail string }
		if err := s.writer.Raw("EXPLAIN QUERY PLAN "+sql, "a", 1, "", "[]").Scan(&plan).Error; err != nil {
			t.Fatal(err)
		}
		if details := fmt.Sprint(plan); !strings.Contains(details, "COVERING INDEX executions_pending") ||
			strings.Contains(details, "TEMP B-TREE") {
			t.Errorf("it reads more than it has to: %s", details)
		}
	}
}

func TestChangesAreConditional(t *testing.T) {
	ask := func(ctx context.Context, tx *Tx) error {
		return tx.Questions.Ask(ctx, "x",
			Question{RequestID: "q", Ordinal: 1, Prompt: redact.Fixed("p"), Model: redact.Fixed("m"), At: start})
	}
	answer := func(ctx context.Context, tx *Tx) error {
		return tx.Questions.Answer(ctx, "x", Reply{RequestID: "q", Response: redact.Fixed("r"), By: app.System(), At: start})
	}
	dispatch := func(ctx context.Context, tx *Tx) error {
		return tx.Queue.Dispatch(ctx, "x", Dispatch{Policy: 1, At: start})
	}
	finish := func(ctx context.Context, tx *Tx) error {
		_, err := tx.Executions.Finish(ctx, "x", Finish{Status: app.StatusError, At: start})
		return err
	}
	s := queue(t)
	enqueue(t, s, "x", "a", start)
	steps := []struct {
		name string
		do   func(context.Context, *Tx) error
		code app.Code
	}{
		{"ask while pending", ask, app.CodeConflict}, {"answer while pending", answer, app.CodeConflict},
		{"dispatch while pending", dispatch, app.CodeConflict},
		{"claim", func(ctx context.Context, tx *Tx) error { _, _, err := tx.Queue.Claim(ctx, "", "", start); return err },
			""},
		{"answer while running", answer, app.CodeConflict}, {"dispatch", dispatch, ""}, {"ask", ask, ""},
		{"ask twice", ask, app.CodeConflict},
		{"answer", answer, ""}, {"answer twice", answer, app.CodeConflict}, {"finish", finish, ""},
		{"finish twice", finish, app.CodeConflict}, {"ask after the end", ask, app.CodeConflict},
	}
	for _, step := range steps {
		if code := do(t, s, step.do); code != step.code {
			t.Errorf("%s: code %q, want %q", step.name, code, step.code)
		}
	}
}

// An execution that was bound again before its script was sent kept its first values.
func TestValuesOfAnExecutionThatIsBoundAgain(t *testing.T) {
	s := queue(t)
	at := func(version int, mode app.Mode) Dispatch {
		return Dispatch{Policy: version,
			Values: []ExecutionValue{{Key: "K", CredentialID: "c", Version: version, Mode: mode}}, At: start}
	}
	write(t, s, func(tx *Tx) error {
		first := at(1, app.ModeSealed)
		_, err := tx.Queue.Add(t.Context(),
			NewExecution{Handle: "x", Lookup: []byte("x"), SealedID: []byte("x"), ProfileHandle: "a", Timeout: time.Minute,
				Script: []byte("x"), At: start, ClaimedBy: "me", Dispatch: &first})
		return err
	})
	write(t, s, func(tx *Tx) error { return tx.Queue.Dispatch(t.Context(), "x", at(2, app.ModeInjected)) })
	var got []executionValueRow
	if err := s.Read(t.Context(), func(tx *Tx) error { return tx.db.Find(&got).Error }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Version != 2 || got[0].Mode != string(app.ModeInjected) {
		t.Errorf("recorded as %+v", got)
	}
}

func TestFinishKeepsEverything(t *testing.T) {
	s := queue(t)
	enqueue(t, s, "x", "a", start)
	claim(t, s)
	result := redact.Fixed(`{"a":1}`)
	f := Finish{
		Status: app.StatusCompleted, Stdout: redact.Fixed("out"), Stderr: redact.Fixed("err"), Result: &result,
		Truncated: true, Turns: []int{1, 2, 2, 1},
		Masked: map[string]redact.Hits{"stdout": {{Name: "A", Count: 2}}, "error": {{Name: "A", Encoding: "hex", Count: 1}},
			"result": nil}, StartedAt: start, FirstOutput: start, At: start.Add(time.Second),
		RunTime: 900 * time.Millisecond, LLMTime: 5 * time.Second, CPUTime: 30 * time.Millisecond, PeakMemory: 7,
		Manifest: app.Manifest{Script: "s"},
		Network: []Connection{{Connection: app.Connection{Port: 443, Verdict: app.VerdictAllowed, Address: "192.0.2.1:443",
			BytesUp: 1, BytesDown: 2, StartedAt: start, Duration: time.Second, Count: 3},
			Host: redact.Fixed("h"), Rule: redact.Fixed("r")}},
	}
	var ended Ended
	write(t, s, func(tx *Tx) (err error) {
		ended, err = tx.Executions.Finish(t.Context(), "x", f)
		return err
	})
	var x Execution
	var out app.Output
	var network []app.Connection
	var hits map[string]redact.Hits
	var day executionStatsRow
	read := func(tx *Tx) (err error) {
		if x, err = tx.Executions.ByLookup(t.Context(), []byte("x")); err != nil {
			return err
		}
		if out, err = tx.Executions.Output(t.Context(), "x"); err != nil {
			return err
		}
		if network, err = tx.Executions.Connections(t.Context(), "x"); err != nil {
			return err
		}
		if hits, err = tx.Executions.RedactionHits(t.Context(), "x"); err != nil {
			return err
		}
		return tx.db.Where("profile_handle = 'a' AND span = 86400").Take(&day).Error
	}
	if err := s.Read(t.Context(), read); err != nil {
		t.Fatal(err)
	}
	want := app.Execution{Handle: "x", ProfileHandle: "a", Profile: "profile a", Status: app.StatusCompleted,
		Timeout: time.Minute, Truncated: true, Redactions: 3,
		Injected: []string{}, CreatedAt: start, StartedAt: start, FirstOutputAt: start, CompletedAt: start.Add(time.Second),
		RunTime: f.RunTime, LLMTime: f.LLMTime, CPUTime: f.CPUTime,
		PeakMemory: 7, Manifest: app.Manifest{Script: "s"}}
	if diff := cmp.Diff(want, x.Execution); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(app.Output{Stdout: "out", Stderr: "err", Result: []byte(`{"a":1}`), Turns: []int{1, 2, 2, 1}},
		out); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(x, ended.Execution) + cmp.Diff(out, ended.Output); diff != "" {
		t.Error("Finish returned something else than reading gives:", diff)
	}
	if now, err := s.ReadStanding(t.Context(), []byte("x")); err != nil || now.Row != ended.Row {
		t.Errorf("row %d, want %d, %v", ended.Row, now.Row, err)
	}
	delete(f.Masked, "result") // none, so no rows
	if diff := cmp.Diff(f.Masked, hits); diff != "" {
		t.Error(diff)
	}
	c := f.Network[0].Connection
	c.Host, c.Rule = "h", "r"
	if diff := cmp.Diff([]app.Connection{c}, network); diff != "" {
		t.Error(diff)
	}
	wantDay := executionStatsRow{ProfileHandle: "a", Span: 86400, Start: start.Unix() / 86400 * 86400,
		ProfileDescription: "profile a", Completed: 1, Started: 1, RunMs: 900, LLMMs: 5000,
		Durations: `{"900":1}`, Redactions: 3}
	if diff := cmp.Diff(wantDay, day); diff != "" {
		t.Error(diff)
	}
}

func TestQueuedCounts(t *testing.T) {
	s := queue(t)
	enqueue(t, s, "x1", "a", start)
	enqueue(t, s, "x2", "a", start)
	enqueue(t, s, "x3", "b", start)
	claim(t, s)
	write(t, s, func(tx *Tx) error {
		all, own, err := tx.Queue.Count(t.Context(), "a")
		if all != 2 || own != 1 {
			t.Errorf("all %d, own %d", all, own)
		}
		return err
	})
}

func TestEnqueueUnderARevokedProfile(t *testing.T) {
	s := queue(t)
	write(t, s, func(tx *Tx) error {
		_, err := tx.exec(t.Context(), "UPDATE profiles SET revoked = 1 WHERE handle = 'a'")
		return err
	})
	for _, profile := range []string{"a", "none"} {
		code := do(t, s, func(ctx context.Context, tx *Tx) error {
			_, err := tx.Queue.Add(ctx,
				NewExecution{Handle: "x", Lookup: []byte("x"), SealedID: []byte("x"), ProfileHandle: profile, Script: []byte("s"),
					At: start})
			return err
		})
		if code != app.CodeProfileRevoked {
			t.Errorf("profile %s: code %q", profile, code)
		}
	}
}

func TestExecutionOfAGoneProfile(t *testing.T) {
	for _, sql := range []string{"UPDATE profiles SET revoked = 1 WHERE handle = 'a'",
		"DELETE FROM profiles WHERE handle = 'a'"} {
		s := queue(t)
		enqueue(t, s, "x", "a", start)
		for _, gone := range []bool{false, true} {
			var x Execution
			if err := s.Read(t.Context(),
				func(tx *Tx) (err error) { x, err = tx.Executions.ByHandle(t.Context(), "x"); return err }); err != nil {
				t.Fatal(err)
			}
			if x.ProfileGone != gone || x.Profile != "profile a" {
				t.Errorf("%s: gone %v, want %v", sql, x.ProfileGone, gone)
			}
			write(t, s, func(tx *Tx) error { _, err := tx.exec(t.Context(), sql); return err })
		}
	}
}

func TestExecutionPages(t *testing.T) {
	s := queue(t)
	var newest []string
	for i := range 25 {
		h := fmt.Sprintf("x%02d", i)
		enqueue(t, s, h, []string{"a", "b"}[i%2], start.Add(time.Duration(i/2)*time.Minute)) // pairs share a time
		newest = append([]string{h}, newest...)
	}
	only := func(keep func(i int) bool) (list []string) {
		for _, h := range newest {
			var i int
			fmt.Sscanf(h, "x%d", &i)
			if keep(i) {
				list = append(list, h)
			}
		}
		return list
	}
	tests := []struct {
		name   string
		filter ExecutionFilter
		want   []string
	}{
		{"all", ExecutionFilter{}, newest},
		{"profile", ExecutionFilter{ProfileHandle: "b"}, only(func(i int) bool { return i%2 == 1 })},
		{"status", ExecutionFilter{Status: app.StatusRunning}, nil},
		{"status of a profile", ExecutionFilter{ProfileHandle: "a", Status: app.StatusPending},
			only(func(i int) bool { return i%2 == 0 })},
		{"range", ExecutionFilter{From: start.Add(2 * time.Minute), To: start.Add(8 * time.Minute)},
			only(func(i int) bool { return i/2 >= 2 && i/2 < 8 })},
		{"range of a profile", ExecutionFilter{ProfileHandle: "a", From: start.Add(2 * time.Minute)},
			only(func(i int) bool { return i/2 >= 2 && i%2 == 0 })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			f := tt.filter
			f.Limit = 3
			for range 20 {
				var page ExecutionPage
				if err := s.Read(t.Context(),
					func(tx *Tx) (err error) { page, err = tx.Executions.List(t.Context(), f); return err }); err != nil {
					t.Fatal(err)
				}
				for _, x := range page.Executions {
					got = append(got, x.Handle)
				}
				if f.Before = page.Next; f.Before == "" {
					break
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIdempotencyKeys(t *testing.T) {
	s := queue(t)
	enqueue(t, s, "x", "a", start)
	key, body := []byte("key"), []byte("body")
	write(t, s, func(tx *Tx) error {
		return tx.Queue.Remember(t.Context(), "a", "x", key, body, start, start.Add(-time.Hour))
	})
	tests := []struct {
		name, profile string
		body          []byte
		since         time.Time
		want          string
		code          app.Code
	}{
		{"same", "a", body, start.Add(-time.Hour), "x", ""},
		{"another body", "a", []byte("other"), start.Add(-time.Hour), "", app.CodeIdempotencyReused},
		{"another profile", "b", body, start.Add(-time.Hour), "", ""},
		{"too old", "a", body, start.Add(time.Second), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			code := do(t, s, func(ctx context.Context, tx *Tx) (err error) {
				got, err = tx.Queue.ByKey(ctx, tt.profile, key, tt.body, tt.since)
				return err
			})
			if got != tt.want || code != tt.code {
				t.Errorf("%q, code %q", got, code)
			}
		})
	}
	enqueue(t, s, "y", "a", start)
	write(t, s, func(tx *Tx) error { // the same key again, after its day
		return tx.Queue.Remember(t.Context(), "a", "y", key, body, start.Add(48*time.Hour), start.Add(24*time.Hour))
	})
}

func TestLastScripts(t *testing.T) {
	s := open(t)
	for i := 1; i <= 5; i++ {
		for _, statement := range []string{
			fmt.Sprintf("INSERT INTO executions (id, handle, lookup, sealed_id, profile_handle, policy, timeout_ms, created_at, "+
				"status) VALUES (%d, 'x%d', x'%06x', x'01', 'p', 1, 1, %d, 'pending')", i, i, i, i),
			fmt.Sprintf("INSERT INTO execution_scripts (execution_id, script, clean) VALUES (%d, x'00', 'import m%d # é')", i, i),
		} {
			if err := s.writer.Exec(statement).Error; err != nil {
				t.Fatal(err)
			}
		}
	}
	err := s.Read(t.Context(), func(tx *Tx) error {
		got, err := tx.Executions.LastScripts(t.Context(), 2, 9)
		if want := []string{"import m5", "import m4"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
