package main

import (
	"database/sql"
	"path/filepath"
)

// sound checks the database of a server that is stopped.
func (in *testServer) sound() {
	in.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.dir, "airlock.db"))
	must(in.t, err)
	defer db.Close()
	var found string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&found); err != nil || found != "ok" {
		in.t.Errorf("integrity: %s %v", found, err)
	}
	if err := db.QueryRow("PRAGMA foreign_key_check").Scan(&found, &found, &found, &found); err != sql.ErrNoRows {
		in.t.Errorf("foreign keys: %v", err)
	}
}

// count asks the instance's database for a number.
func (in *testServer) count(query string) (n int) {
	in.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.dir, "airlock.db")+"?_pragma=busy_timeout(10000)")
	must(in.t, err)
	defer db.Close()
	must(in.t, db.QueryRowContext(in.t.Context(), query).Scan(&n))
	return n
}
