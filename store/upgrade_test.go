package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// TestEveryOlderDatabaseIsMigrated makes a database as each released schema had it, with rows in
// all of the first schema's tables, and opens it.
func TestEveryOlderDatabaseIsMigrated(t *testing.T) {
	all, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version < len(all); version++ {
		t.Run(fmt.Sprintf("%04d_%s", version, all[version-1].name), func(t *testing.T) {
			older, dir := bare(t)
			if err := migrate(t.Context(), older.writer, dir, all[:version], nil); err != nil {
				t.Fatal(err)
			}
			script, err := os.ReadFile("testdata/rows-of-schema-1.sql")
			if err != nil {
				t.Fatal(err)
			}
			if err := older.writer.Exec(string(script)).Error; err != nil {
				t.Fatal(err)
			}
			// programs of schema 6 do so when an execution ends
			more := `INSERT INTO execution_words (rowid, text) SELECT x.id, x.error || ' ' || s.clean || ' ' || o.stdout
				FROM executions x JOIN execution_scripts s ON s.execution_id = x.id
				JOIN execution_outputs o ON o.execution_id = x.id WHERE x.id = 1`
			if version < 6 {
				more = "INSERT INTO daily_stats (profile_handle, day, completed) VALUES ('p1', 20000, 1)"
			}
			if err := older.writer.Exec(more).Error; err != nil {
				t.Fatal(err)
			}
			before := rowsByTable(t, older)
			if err := older.Close(); err != nil {
				t.Fatal(err)
			}
			s := openIn(t, dir)
			if err := s.Check(t.Context()); err != nil {
				t.Error(err)
			}
			after := rowsByTable(t, s)
			// rolled up, ended, made of the others
			for _, table := range []string{"daily_stats", "admin_sessions", "execution_stats"} {
				delete(before, table)
			}
			for table, n := range before {
				if after[table] != n {
					t.Errorf("%s has %d rows, had %d", table, after[table], n)
				}
			}
			usable(t, s)
			goesBack(t, dir, version, all, before)
		})
	}
}

func rowsByTable(t *testing.T, s *Store) map[string]int {
	t.Helper()
	var tables []string
	if err := s.writer.Raw("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name " +
		"<> 'schema_migrations' AND name NOT LIKE 'execution_words%'").Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, table := range tables {
		rows[table] = count(t, s, "SELECT count(*) FROM "+table)
	}
	return rows
}

// usable reads what an older program wrote, and goes on with it.
func usable(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	err := s.Read(ctx, func(tx *Tx) error {
		x, err := tx.Executions.ByHandle(ctx, "x1")
		if err != nil {
			return err
		}
		if x.Status != app.StatusCompleted || x.RunTime != 1500*time.Millisecond || x.ProfileHandle != "p1" {
			t.Errorf("read %+v", x)
		}
		ledger, err := tx.Executions.Connections(ctx, "x1")
		if err != nil || len(ledger) != 1 || ledger[0].Host != "db.example.com" {
			t.Errorf("read %+v, %v", ledger, err)
		}
		if _, broken, err := tx.Events.Verify(ctx, AuditMark{}); err != nil || broken == 0 {
			t.Errorf("the audit log's made-up hashes count as right: %d, %v", broken, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, s, "SELECT sum(completed) FROM execution_stats WHERE span = 86400"); n != 1 {
		t.Errorf("%d completed executions are counted, want 1", n)
	}
	if n := count(t, s, "SELECT count(*) FROM execution_words WHERE execution_words MATCH 'hello'"); n != 1 {
		t.Errorf("%d executions are found by a word, want 1", n)
	}
	if got := claim(t, s); got != "x2" {
		t.Errorf("%q was claimed, want the one that waited", got)
	}
	write(t, s, func(tx *Tx) error {
		_, err := tx.Executions.Finish(ctx, "x2",
			Finish{Status: app.StatusCompleted, Stdout: redact.Fixed("done"), At: start})
		return err
	})
}

// goesBack opens the copy that was left, with the older program's migrations: it is the older
// database as it was.
func goesBack(t *testing.T, dir string, version int, all []migration, want map[string]int) {
	t.Helper()
	back, other := bare(t)
	if err := back.Close(); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("pre-migrate-%d.db", version)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(other, FileName)
	if err := os.WriteFile(path, copied, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := connect(dsn(path)+"&_txlock=immediate", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	older := &Store{path: path, writer: db, reader: db}
	if err := migrate(t.Context(), db, other, all[:version], nil); err != nil {
		t.Errorf("the older program refuses the copy: %v", err)
	}
	if err := older.Check(t.Context()); err != nil {
		t.Error(err)
	}
	got := rowsByTable(t, older)
	for table, n := range want {
		if diff := cmp.Diff(n, got[table]); diff != "" {
			t.Errorf("the copy's %s: %s", table, diff)
		}
	}
	older.reader = nil
	if err := older.Close(); err != nil {
		t.Fatal(err)
	}
}
