package e2e

import (
	"database/sql"
	"path/filepath"
)

// Sound checks the database of a server that is stopped.
func (in *Instance) Sound() {
	in.T.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.Dir, "airlock.db"))
	Must(in.T, err)
	defer db.Close()
	var found string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&found); err != nil || found != "ok" {
		in.T.Errorf("integrity: %s %v", found, err)
	}
	if err := db.QueryRow("PRAGMA foreign_key_check").Scan(&found, &found, &found, &found); err != sql.ErrNoRows {
		in.T.Errorf("foreign keys: %v", err)
	}
}

// Count asks the instance's database for a number.
func (in *Instance) Count(query string) (n int) {
	in.T.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.Dir, "airlock.db")+"?_pragma=busy_timeout(10000)")
	Must(in.T, err)
	defer db.Close()
	Must(in.T, db.QueryRowContext(in.T.Context(), query).Scan(&n))
	return n
}
