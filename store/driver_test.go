package store

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"gorm.io/gorm"
	sqlite3 "modernc.org/sqlite/lib"
)

// kept returns the statements that a pool of one connection keeps.
func kept(t *testing.T, db *sql.Conn) (kept map[string]sqliteStmt) {
	t.Helper()
	if err := db.Raw(func(c any) error {
		kept = c.(*keepingConn).kept
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return kept
}

func oneConn(t *testing.T, db *gorm.DB) *sql.Conn {
	t.Helper()
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func runOn(t *testing.T, conn *sql.Conn, query string, args ...any) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func numberOn(t *testing.T, conn *sql.Conn, query string, args ...any) (n int) {
	t.Helper()
	if err := conn.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestAStatementIsParsedOnce(t *testing.T) {
	conn := oneConn(t, open(t).writer)
	runOn(t, conn, "CREATE TABLE t (n INTEGER PRIMARY KEY)")
	const insert, sum = "INSERT INTO t VALUES (?)", "SELECT coalesce(sum(n), 0) FROM t WHERE n >= ?"
	runOn(t, conn, insert, 1)
	numberOn(t, conn, sum, 0)
	first := map[string]sqliteStmt{insert: kept(t, conn)[insert], sum: kept(t, conn)[sum]}
	for n := 2; n < 10; n++ {
		runOn(t, conn, insert, n)
		if got := numberOn(t, conn, sum, n); got != n {
			t.Errorf("the sum from %d is %d: values of an earlier run were used", n, got)
		}
	}
	for query, stmt := range first {
		if stmt == nil || kept(t, conn)[query] != stmt {
			t.Errorf("%s was parsed again", query)
		}
	}
}

func TestStatementsThatRunInsideThemselves(t *testing.T) {
	conn := oneConn(t, open(t).writer)
	const query = "SELECT value FROM json_each(?)"
	rows, err := conn.QueryContext(t.Context(), query, "[1,2,3]")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var seen []int
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, n)
		if inner := numberOn(t, conn, query, "[7]"); inner != 7 {
			t.Errorf("inside: %d", inner)
		}
	}
	if fmt.Sprint(seen) != "[1 2 3]" || rows.Err() != nil {
		t.Errorf("read %v (%v)", seen, rows.Err())
	}
}

func TestKeptStatementsAreBounded(t *testing.T) {
	conn := oneConn(t, open(t).writer)
	for n := range 3 * maxKept {
		numberOn(t, conn, fmt.Sprintf("SELECT %d", n))
		if len(kept(t, conn)) > maxKept {
			t.Fatalf("%d statements are kept", len(kept(t, conn)))
		}
	}
}

// Another process may migrate the file.
func TestKeptStatementsFollowTheSchema(t *testing.T) {
	dir := t.TempDir()
	conn, other := oneConn(t, openIn(t, dir).writer), oneConn(t, openIn(t, dir).writer)
	runOn(t, conn, "CREATE TABLE t (a)")
	runOn(t, conn, "INSERT INTO t VALUES (1)")
	numberOn(t, conn, "SELECT max(a) FROM t")
	runOn(t, other, "ALTER TABLE t RENAME TO old")
	runOn(t, other, "CREATE TABLE t AS SELECT 7 AS a")
	if got := numberOn(t, conn, "SELECT max(a) FROM t"); got != 7 {
		t.Errorf("read %d from the table as it was", got)
	}
}

// A snapshot would let the write-ahead log grow for ever.
func TestKeptStatementsHoldNoSnapshot(t *testing.T) {
	s := open(t)
	reader, writer := oneConn(t, s.reader), oneConn(t, s.writer)
	rows, err := reader.QueryContext(t.Context(), "SELECT version FROM schema_migrations")
	if err == nil {
		rows.Next() // and is left in the middle
		err = errors.Join(rows.Err(), rows.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	runOn(t, writer, "INSERT INTO settings (key, value, updated_at) VALUES ('k', x'00', 1)")
	var busy, inLog, done int
	if err := writer.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &inLog, &done); err != nil ||
		busy != 0 || inLog != 0 {
		t.Errorf("checkpoint: busy %d, %d pages left (%v)", busy, inLog, err)
	}
}

func TestAFailedStatementIsNotSpoilt(t *testing.T) {
	conn := oneConn(t, open(t).writer)
	runOn(t, conn, "CREATE TABLE t (a UNIQUE)")
	const insert = "INSERT INTO t VALUES (?)"
	runOn(t, conn, insert, 1)
	for range 3 {
		if _, err := conn.ExecContext(t.Context(), insert, 1); resultCode(err) != sqlite3.SQLITE_CONSTRAINT_UNIQUE {
			t.Errorf("a second 1: %v", err)
		}
	}
	runOn(t, conn, insert, 2)
	if n := numberOn(t, conn, "SELECT count(*) FROM t"); n != 2 {
		t.Errorf("%d rows", n)
	}
	rows, err := conn.QueryContext(t.Context(), "INSERT INTO t VALUES (3), (1) RETURNING a")
	if err == nil {
		for rows.Next() { //nolint:revive // only its error counts
		}
		err = rows.Err()
		_ = rows.Close()
	}
	if resultCode(err) != sqlite3.SQLITE_CONSTRAINT_UNIQUE || numberOn(t, conn, "SELECT count(*) FROM t") != 2 {
		t.Errorf("a statement that returns rows: %v", err)
	}
}

// Some pragmas act during preparation.
func TestPragmasAreNotKept(t *testing.T) {
	conn := oneConn(t, open(t).writer)
	before := len(kept(t, conn))
	runOn(t, conn, "PRAGMA busy_timeout = 1")
	runOn(t, conn, "CREATE TABLE t (a)")
	runOn(t, conn, "-- SELECT\nDROP TABLE t")
	if n := len(kept(t, conn)); n != before {
		t.Errorf("%d are kept, %d before", n, before)
	}
}
