package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"modernc.org/sqlite"
)

// counted opens connections whose statements are counted as they are compiled.
type counted struct {
	connector
	made     *connection
	compiled map[string]int
}

func (c *counted) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c.made = opened.(*connection)
	c.made.underlying = counting{c.made.underlying, c.compiled}
	return c.made, nil
}

type counting struct {
	underlying
	compiled map[string]int
}

func (c counting) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.compiled[query]++
	return c.underlying.PrepareContext(ctx, query)
}

// single returns a pool of one connection.
func single(t *testing.T) (*sql.DB, *counted) {
	t.Helper()
	c := &counted{connector: connector{dsn: dsn(filepath.Join(t.TempDir(), FileName)), driver: &sqlite.Driver{}}, compiled: map[string]int{}}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, text := range []string{"CREATE TABLE t (n INTEGER UNIQUE)", "INSERT INTO t VALUES (1), (2), (3)"} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return db, c
}

func TestStatementsAreCompiledOnce(t *testing.T) {
	db, c := single(t)
	const insert, count = "INSERT INTO t VALUES (?)", "SELECT count(*) FROM t WHERE n <= ?"
	for n := int64(4); n < 20; n++ {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), insert, n); err != nil {
			t.Fatal(err)
		}
		var got int64
		if err := tx.QueryRowContext(t.Context(), count, n).Scan(&got); err != nil || got != n {
			t.Fatalf("%d rows (%v), want %d", got, err, n)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{insert, count} {
		if c.compiled[text] != 1 {
			t.Errorf("%s was compiled %d times", text, c.compiled[text])
		}
	}
}

func TestRowsOfTheSameStatementAreReadAtOnce(t *testing.T) {
	db, c := single(t)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	const text = "SELECT n FROM t ORDER BY n"
	list := func(each func()) (all []int) {
		rows, err := tx.QueryContext(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				t.Fatal(err)
			}
			all = append(all, n)
			each()
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return all
	}
	inner := ""
	outer := list(func() { inner += fmt.Sprint(list(func() {})) })
	if fmt.Sprint(outer) != "[1 2 3]" || inner != "[1 2 3][1 2 3][1 2 3]" {
		t.Errorf("%v, %s", outer, inner)
	}
	if len(c.made.idle) > 4 || c.compiled[text] > 4 {
		t.Errorf("%d kept, compiled %d times", len(c.made.idle), c.compiled[text])
	}
}

func TestAFailedStatementIsCompiledAgain(t *testing.T) {
	db, c := single(t)
	const insert = "INSERT INTO t VALUES (?)"
	_, err := db.ExecContext(t.Context(), insert, 1)
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		t.Fatalf("%v, want the driver's own error", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
	var n int64
	if err := db.QueryRowContext(ctx, endless).Scan(&n); err == nil {
		t.Fatal("an endless query ended")
	}
	if _, kept := c.made.idle[endless]; kept {
		t.Error("what was interrupted is kept")
	}
	if _, err := db.ExecContext(t.Context(), insert, 7); err != nil {
		t.Error(err)
	}
	if c.compiled[insert] != 2 {
		t.Errorf("compiled %d times, want 2", c.compiled[insert])
	}
}

func TestKeptStatementsSeeAChangedSchema(t *testing.T) {
	db, _ := single(t)
	columns := func() (names []string) {
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM t LIMIT 1")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		names, err = rows.Columns()
		if err = errors.Join(err, rows.Err()); err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := columns()
	if _, err := db.ExecContext(t.Context(), "ALTER TABLE t ADD COLUMN more TEXT NOT NULL DEFAULT ''"); err != nil {
		t.Fatal(err)
	}
	if after := columns(); len(before) != 1 || len(after) != 2 {
		t.Errorf("%v before, %v after", before, after)
	}
}

func TestKeptStatementsAreBounded(t *testing.T) {
	db, c := single(t)
	for n := range 3 * maxKept {
		var got int
		if err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %d", n)).Scan(&got); err != nil || got != n {
			t.Fatalf("%d (%v), want %d", got, err, n)
		}
		if len(c.made.idle) > maxKept {
			t.Fatalf("%d are kept", len(c.made.idle))
		}
	}
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf("SELECT '%*d'", maxKeptText, 1)); err != nil {
		t.Fatal(err)
	}
	for text := range c.made.idle {
		if len(text) > maxKeptText {
			t.Errorf("a text of %d bytes is kept", len(text))
		}
	}
}
