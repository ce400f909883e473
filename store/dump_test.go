package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// A sort would hold a long history in memory.
func TestExportSortsNothing(t *testing.T) {
	s := open(t)
	for _, profiles := range [][]string{nil, {"a"}} {
		where, args := whereEnded(profiles)
		rows, err := s.read(t.Context()).Raw("EXPLAIN QUERY PLAN "+orderEnded(where), args...).Rows()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(detail, "TEMP B-TREE") {
				t.Error(detail)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
}

// Row numbers of imported executions say nothing about their time. Time ranges lost the executions
// before them, and retention by count took the newest for the oldest.
func TestImportedHistoryKeepsItsDates(t *testing.T) {
	for seed := range uint64(5) {
		s := queue(t)
		history(t, s, rand.New(rand.NewPCG(seed, 7)))
		write(t, s, func(tx *Tx) error { return tx.Executions.NoteOrder(t.Context(), start) })
		for days := range 200 {
			f := ExecutionFilter{From: start.AddDate(0, 0, -days-3), To: start.AddDate(0, 0, -days), Limit: 2}
			if got, want := walk(t, s, f), between(t, s, f.From, f.To); !slices.Equal(got, want) {
				t.Errorf("seed %d, %d days ago: %q, want %q", seed, days, got, want)
			}
		}
		ofA := ExecutionFilter{ProfileHandle: "a", Status: app.StatusCompleted, From: start.AddDate(0, 0, -90),
			To: start.AddDate(0, 0, -10), Limit: 2}
		var there []string
		if err := s.reader.Raw("SELECT handle FROM executions WHERE profile_handle = 'a' AND status = 'completed' AND "+
			"created_at >= ? AND created_at < ? ORDER BY id DESC", toMillis(ofA.From),
			toMillis(ofA.To)).Scan(&there).Error; err != nil {
			t.Fatal(err)
		}
		if got := walk(t, s, ofA); !slices.Equal(got, there) {
			t.Errorf("seed %d, of one profile: %q, want %q", seed, got, there)
		}
		if got, want := walk(t, s, ExecutionFilter{From: start.AddDate(0, 0, -100), Limit: 2}),
			between(t, s, start.AddDate(0, 0, -100), start.AddDate(9, 0, 0)); !slices.Equal(got, want) {
			t.Errorf("seed %d, open at its end: %q, want %q", seed, got, want)
		}
		var want []string
		if err := s.reader.Raw("SELECT handle FROM executions WHERE profile_handle = 'a' ORDER BY created_at DESC, id DESC " +
			"LIMIT 5").Scan(&want).Error; err != nil {
			t.Fatal(err)
		}
		write(t, s, func(tx *Tx) error {
			row, err := tx.Pruning.OldestOf(t.Context(), "a", 5, start)
			if err != nil || row == 0 {
				return err
			}
			_, err = tx.Pruning.Surplus(t.Context(), "a", row,
				Kept{EndedSince: start.AddDate(1, 0, 0), RepeatedSince: start.AddDate(1, 0, 0)}, 1000)
			return err
		})
		var left []string
		if err := s.reader.Raw("SELECT handle FROM executions x WHERE profile_handle = 'a' AND completed_at > 0 AND NOT " +
			"EXISTS (SELECT 1 FROM executions r WHERE r.rerun_of = x.handle) ORDER BY created_at DESC, id DESC").Scan(
			&left).Error; err != nil {
			t.Fatal(err)
		}
		for _, handle := range left {
			if !slices.Contains(want, handle) {
				t.Errorf("seed %d: %s stayed, which is none of the newest: %q", seed, handle, want)
			}
		}
		var stay int
		if err := s.reader.Raw("SELECT count(*) FROM executions WHERE handle IN ?", want).Scan(&stay).Error; err != nil ||
			stay != len(want) {
			t.Errorf("seed %d: of the newest %d, %d are there, %v", seed, len(want), stay, err)
		}
	}
}

// Dates in the future, from a file or a wrong clock, push nothing out that runs here.
func TestDatesToComeCountForNothing(t *testing.T) {
	s := queue(t)
	history(t, s, rand.New(rand.NewPCG(3, 7)))
	kept := Kept{EndedSince: start.AddDate(1, 0, 0), RepeatedSince: start.AddDate(1, 0, 0)}
	oldest := func() (row int64) {
		t.Helper()
		write(t, s, func(tx *Tx) (err error) {
			if err = tx.Executions.NoteOrder(t.Context(), start); err == nil {
				row, err = tx.Pruning.OldestOf(t.Context(), "a", 5, start)
			}
			return err
		})
		return row
	}
	before := oldest()
	write(t, s, func(tx *Tx) error {
		for i := range 8 {
			handle := fmt.Sprint("forged", i)
			if _, err := tx.Queue.Add(t.Context(),
				NewExecution{Handle: handle, Lookup: []byte(handle), SealedID: []byte("sealed"), ProfileHandle: "a",
					Timeout: time.Minute,
					Script:  []byte("sealed"), Shown: Shown{Script: redact.Fixed("print(1)")}, At: start.AddDate(50, 0, 0)}); err != nil {
				return err
			}
		}
		return nil
	})
	if row := oldest(); row != before || row == 0 {
		t.Errorf("the fifth newest was %d, and is %d", before, row)
	}
	write(t, s, func(tx *Tx) error { _, err := tx.Pruning.Surplus(t.Context(), "a", before, kept, 1000); return err })
	var left int
	if err := s.reader.Raw("SELECT count(*) FROM executions WHERE handle LIKE 'forged%'").Scan(&left).Error; err != nil ||
		left != 8 {
		t.Errorf("%d of them are left, %v", left, err)
	}
}

func between(t *testing.T, s *Store, from, to time.Time) (handles []string) {
	t.Helper()
	if err := s.reader.Raw("SELECT handle FROM executions WHERE created_at >= ? AND created_at < ? ORDER BY id DESC",
		toMillis(from), toMillis(to)).Scan(&handles).Error; err != nil {
		t.Fatal(err)
	}
	return handles
}

// Small clock steps are not noted as disorder. Order that returns after a removal is seen.
func TestOrderIsNoted(t *testing.T) {
	s := filled(t, 50)
	noted := func() (disorder bool) {
		t.Helper()
		write(t, s, func(tx *Tx) (err error) {
			if err = tx.Executions.NoteOrder(t.Context(), start); err == nil {
				disorder, err = tx.isDisordered(t.Context())
			}
			return err
		})
		return disorder
	}
	move := func(hours int) {
		t.Helper()
		write(t, s, func(tx *Tx) error {
			_, err := tx.exec(t.Context(),
				"UPDATE executions SET created_at = (SELECT max(created_at) FROM executions WHERE id < (SELECT max(id) FROM "+
					"executions)) + ? WHERE id = (SELECT max(id) FROM executions)", hours*3600*1000)
			return err
		})
	}
	if noted() {
		t.Error("it is in order")
	}
	move(-1)
	if noted() {
		t.Error("an hour is the clock's")
	}
	move(-2)
	if !noted() {
		t.Error("two hours are an import's")
	}
	move(1)
	if noted() {
		t.Error("it is in order again")
	}
}
