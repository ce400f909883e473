package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/google/go-cmp/cmp"
)

// totals are all numbers that people see about the past.
type totals struct {
	Usage    []Usage
	Open     map[string]int // executions that have not ended
	Counters map[string]int64
	Uses     int64
	Beats    map[string][]Outcome
}

func totalsOf(t testing.TB, s *Store) (n totals) {
	t.Helper()
	n = totals{Open: map[string]int{}, Counters: map[string]int64{}}
	err := s.Read(t.Context(), func(tx *Tx) error {
		for _, span := range []time.Duration{Hourly, Quarterly, Daily} {
			usage, err := tx.Stats.Usage(t.Context(), span, start.AddDate(0, 0, -400), start.AddDate(0, 0, 2))
			if err != nil {
				return err
			}
			n.Usage = append(n.Usage, usage...)
		}
		for _, handle := range []string{"a", "b"} {
			open, err := tx.Executions.ListUnfinished(t.Context(), handle)
			if err != nil {
				return err
			}
			n.Open[handle] = len(open)
			var executions int64
			if err := tx.db.Raw("SELECT executions FROM profiles WHERE handle = ?", handle).Scan(&executions).Error; err != nil {
				return err
			}
			n.Counters[handle] = executions
		}
		if err := tx.db.Raw("SELECT uses FROM credentials WHERE id = 'c'").Scan(&n.Uses).Error; err != nil {
			return err
		}
		beats, err := tx.Stats.Recent(t.Context(), []string{"a", "b"}, OutcomesKept)
		for _, list := range beats {
			for i := range list {
				list[i].Handle = ""
			}
		}
		n.Beats = beats
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// history adds executions of every kind and age to two profiles.
func history(t testing.TB, s *Store, dice *rand.Rand) {
	t.Helper()
	write(t, s, func(tx *Tx) error {
		_, err := tx.exec(t.Context(),
			"INSERT INTO credentials (id, name, mode, created_at, updated_at) VALUES ('c', 'C', 'plain', 1, 1)")
		return err
	})
	n := 1 + dice.IntN(160)
	for i := range n {
		handle, profile := fmt.Sprint("x", i), []string{"a", "a", "a", "b"}[dice.IntN(4)]
		at := start.Add(-time.Duration(dice.IntN(200*24*60)) * time.Minute)
		write(t, s, func(tx *Tx) error {
			rerun := ""
			if i > 0 && dice.IntN(10) == 0 {
				rerun = fmt.Sprint("x", dice.IntN(i))
			}
			if _, err := tx.Queue.Add(t.Context(),
				NewExecution{Handle: handle, Lookup: []byte(handle), SealedID: []byte("sealed"), ProfileHandle: profile,
					Timeout: time.Minute,
					Script:  []byte("sealed"), Shown: Shown{Script: redact.Fixed("print(1)")}, RerunOf: rerun, At: at}); err != nil {
				return err
			}
			if dice.IntN(10) == 0 {
				return tx.Queue.Remember(t.Context(), profile, handle, []byte(handle), []byte("body"), at, start.AddDate(-1, 0, 0))
			}
			return nil
		})
		if dice.IntN(10) == 0 {
			continue
		}
		end := []app.Status{app.StatusCompleted, app.StatusError, app.StatusTimeout, app.StatusCancelled}[dice.IntN(4)]
		write(t, s, func(tx *Tx) error {
			if _, err := tx.exec(t.Context(), "UPDATE executions SET status = 'running' WHERE handle = ?", handle); err != nil {
				return err
			}
			if err := tx.Queue.Dispatch(t.Context(), handle,
				Dispatch{Policy: 1, Values: []ExecutionValue{{Key: "C", CredentialID: "c", Version: 1, Mode: app.ModePlain}},
					At: at}); err != nil {
				return err
			}
			if err := tx.Credentials.CountUse(t.Context(), []string{"c"}, at); err != nil {
				return err
			}
			if err := tx.Questions.Ask(t.Context(), handle,
				Question{RequestID: "q" + handle, Ordinal: 1, Prompt: redact.Fixed("p"), Model: redact.Fixed("m"),
					At: at}); err != nil {
				return err
			}
			if _, err := tx.exec(t.Context(), "UPDATE executions SET status = 'running' WHERE handle = ?", handle); err != nil {
				return err
			}
			result := redact.Fixed(`{"n":1}`)
			_, err := tx.Executions.Finish(t.Context(), handle,
				Finish{Status: end, Stdout: redact.Fixed("out"), Result: &result, StartedAt: at, At: at.Add(time.Minute),
					RunTime: time.Duration(i) * time.Second,
					Masked:  map[string]redact.Hits{"stdout": {{Name: "C", Count: 1}}},
					Network: []Connection{{Connection: app.Connection{Port: 443, Verdict: app.VerdictAllowed, StartedAt: at},
						Host: redact.Fixed("h"), Rule: redact.Fixed("h")}}})
			return err
		})
	}
}

// orphans returns the tables with rows that hang on no execution.
func orphans(t testing.TB, s *Store) (found []string) {
	t.Helper()
	for _, table := range []string{"execution_scripts", "execution_outputs", "execution_values", "llm_exchanges",
		"connections", "redaction_hits", "idempotency"} {
		var n int
		if err := s.reader.Raw("SELECT count(*) FROM " + table +
			" WHERE execution_id NOT IN (SELECT id FROM executions)").Scan(&n).Error; err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			found = append(found, table)
		}
	}
	var words int
	if err := s.reader.Raw("SELECT count(*) FROM execution_words_docsize " +
		"WHERE id NOT IN (SELECT id FROM executions)").Scan(&words).Error; err != nil {
		t.Fatal(err)
	}
	if words > 0 {
		found = append(found, "execution_words")
	}
	return found
}

// mustStay returns what no pass may remove, by another query than the pass's.
func mustStay(t testing.TB, s *Store, kept Kept) (handles []string) {
	t.Helper()
	err := s.reader.Raw(`SELECT handle FROM executions
		WHERE status IN ('pending', 'running', 'awaiting_llm') OR completed_at >= ?
		OR id IN (SELECT execution_id FROM idempotency WHERE created_at >= ?)
		OR handle IN (SELECT rerun_of FROM executions WHERE status IN ('pending', 'running', 'awaiting_llm'))
		ORDER BY id`, toMillis(kept.EndedSince), toMillis(kept.RepeatedSince)).Scan(&handles).Error
	if err != nil {
		t.Fatal(err)
	}
	return handles
}

// Removals change no statistics, counters of use or heartbeats. Required rows stay, and no
// reference dangles.
func TestRemovingChangesNoNumber(t *testing.T) {
	for seed := range uint64(12) {
		dice := rand.New(rand.NewPCG(seed, 0))
		s := queue(t)
		history(t, s, dice)
		kept := Kept{EndedSince: start.Add(-time.Hour), RepeatedSince: start.Add(-24 * time.Hour)}
		before, stays := totalsOf(t, s), mustStay(t, s, kept)
		age := start.Add(-time.Duration(dice.IntN(250*24)) * time.Hour)
		newest := 1 + dice.IntN(60)
		for removed := -1; removed != 0; {
			removed = 0
			write(t, s, func(tx *Tx) error {
				n, err := tx.Pruning.RemoveAged(t.Context(), age, kept, 7)
				removed += n
				if err != nil {
					return err
				}
				handles, err := tx.Pruning.Profiles(t.Context())
				if err != nil {
					return err
				}
				for _, handle := range handles {
					oldest, err := tx.Pruning.OldestOf(t.Context(), handle, newest, start)
					if err != nil {
						return err
					}
					if n, err = tx.Pruning.Surplus(t.Context(), handle, oldest, kept, 7); err != nil {
						return err
					}
					removed += n
				}
				return nil
			})
		}
		if diff := cmp.Diff(before, totalsOf(t, s)); diff != "" {
			t.Errorf("seed %d: numbers changed:\n%s", seed, diff)
		}
		if diff := cmp.Diff(stays, mustStay(t, s, kept)); diff != "" {
			t.Errorf("seed %d: what must stay was removed:\n%s", seed, diff)
		}
		var left []string
		if err := s.reader.Raw(`SELECT handle FROM executions x WHERE (created_at < ?
				OR (SELECT count(*) FROM executions y WHERE y.profile_handle = x.profile_handle AND y.id > x.id) >= ?)
			AND handle NOT IN (SELECT value FROM json_each(?)) AND completed_at < ?`,
			toMillis(age), newest, toJSON(append([]string{}, stays...)), toMillis(age)).Scan(&left).Error; err != nil {
			t.Fatal(err)
		}
		if len(left) > 0 {
			t.Errorf("seed %d: these should have gone: %v", seed, left)
		}
		if found := orphans(t, s); len(found) > 0 {
			t.Errorf("seed %d: rows without an execution in %v", seed, found)
		}
		var broken []struct{ Table string }
		if err := s.reader.Raw("PRAGMA foreign_key_check").Scan(&broken).Error; err != nil || len(broken) > 0 {
			t.Errorf("seed %d: foreign keys: %v %v", seed, broken, err)
		}
	}
}

func TestRemovingReadsNoMoreThanItMust(t *testing.T) {
	s := open(t)
	for sql, args := range map[string][]any{
		selectAged:    {1, 1, 1, 1},
		selectSurplus: {"a", 1, 1, 1, 1},
		selectOldest:  {"a", 9},
		selectHandles: nil,

		selectSurplusByTime: {"a", 1, 1, 1, 1, 1},
		selectOldestByTime:  {"a", 1, 9},
	} {
		var plan []struct{ Detail string }
		if err := s.reader.Raw("EXPLAIN QUERY PLAN "+sql, args...).Scan(&plan).Error; err != nil {
			t.Fatal(err)
		}
		for _, step := range plan {
			if strings.Contains(step.Detail, "TEMP B-TREE") || strings.HasPrefix(step.Detail, "SCAN x") ||
				strings.HasPrefix(step.Detail, "SCAN r") || strings.HasPrefix(step.Detail, "SCAN i") {
				t.Errorf("%s\nreads more than it has to: %v", sql, plan)
			}
		}
	}
}

// An agent that submitted scripts for approval and cancelled them filled the database: nothing
// removed them.
func TestHoleWithdrawnQuestionsStay(t *testing.T) {
	s := queue(t)
	now := start
	for i, state := range []app.ApprovalState{app.ApprovalOpen, app.ApprovalOpen, app.ApprovalApproved, app.ApprovalRefused} {
		handle, at := fmt.Sprint("x", i), now.Add(-time.Duration(9-i)*time.Hour)
		write(t, s, func(tx *Tx) error {
			if err := tx.Approvals.Add(t.Context(), app.Approval{ID: "of " + handle, Kind: app.ApprovalScript, Subject: handle,
				ProfileHandle: "a", Execution: handle, State: state, AskedAt: at}, redact.Fixed("print(1)")); err != nil {
				return err
			}
			if _, err := tx.Queue.Add(t.Context(), NewExecution{Handle: handle, Lookup: []byte(handle), SealedID: []byte("sealed"),
				ProfileHandle: "a", Timeout: time.Minute, Script: []byte("sealed"), Shown: Shown{Script: redact.Fixed("print(1)")},
				Approval: "of " + handle, Waits: true, At: at}); err != nil {
				return err
			}
			_, err := tx.Executions.Finish(t.Context(), handle, Finish{Status: app.StatusCancelled, At: at})
			return err
		})
	}
	approvals := func() (list []string) {
		if err := s.reader.Raw("SELECT id || ' ' || state FROM approvals ORDER BY id").Scan(&list).Error; err != nil {
			t.Fatal(err)
		}
		return list
	}
	want := []string{"of x0 withdrawn", "of x1 withdrawn", "of x2 approved", "of x3 refused"}
	if diff := cmp.Diff(want, approvals()); diff != "" {
		t.Fatal(diff)
	}
	write(t, s, func(tx *Tx) error {
		_, err := tx.Pruning.RemoveAged(t.Context(), now, Kept{EndedSince: now, RepeatedSince: now}, 1)
		return err
	})
	if diff := cmp.Diff(want[1:], approvals()); diff != "" {
		t.Errorf("once the oldest execution is removed:\n%s", diff)
	}
}
