package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"gorm.io/gorm"

	"github.com/computclaw/airlock/app/atomicfile"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one numbered step of the schema.
type migration struct {
	version  int
	name     string
	sql      string
	checksum string
}

// loadEmbedded returns the program's migrations in order.
func loadEmbedded() ([]migration, error) { return loadMigrations(migrationFiles, "migrations") }

// loadMigrations reads dir's NNNN_name.sql files. They must be numbered 1, 2, 3, …
func loadMigrations(fsys fs.FS, dir string) ([]migration, error) {
	entries, err := fs.ReadDir(fsys, dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	var all []migration
	for i, e := range entries {
		number, rest, _ := strings.Cut(e.Name(), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 || len(number) != 4 {
			return nil, fmt.Errorf("store: migration %s is not number %d in a row", e.Name(), i+1)
		}
		text, err := fs.ReadFile(fsys, dir+"/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("store: migrations: %w", err)
		}
		sum := sha256.Sum256(text)
		all = append(all, migration{version, strings.TrimSuffix(rest, ".sql"), string(text), hex.EncodeToString(sum[:])})
	}
	return all, nil
}

const createMigrations = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version    INTEGER NOT NULL PRIMARY KEY,
  name       TEXT    NOT NULL,
  checksum   TEXT    NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`

// migrate applies pending migrations. It holds the only writer connection: foreign keys are
// switched per connection, outside a transaction.
func migrate(ctx context.Context, db *gorm.DB, dir string, all []migration, log *slog.Logger) error {
	pool, err := db.DB()
	if err != nil {
		return fmt.Errorf("store: migrate: %w", err)
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("store: migrate: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, createMigrations); err != nil {
		return fmt.Errorf("store: migrate: %w", err)
	}
	done, err := compareApplied(ctx, conn, all)
	if err != nil || done == len(all) {
		return err
	}
	if done > 0 {
		if err := copyBefore(ctx, conn, dir, done); err != nil {
			return err
		}
	}
	return applyAll(ctx, conn, all[done:], log)
}

// compareApplied compares the database's migrations one by one and returns their number.
func compareApplied(ctx context.Context, conn *sql.Conn, all []migration) (int, error) {
	rows, err := conn.QueryContext(ctx, "SELECT version, name, checksum FROM schema_migrations ORDER BY version")
	if err != nil {
		return 0, fmt.Errorf("store: migrate: %w", err)
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		var m migration
		if err := rows.Scan(&m.version, &m.name, &m.checksum); err != nil {
			return 0, fmt.Errorf("store: migrate: %w", err)
		}
		switch {
		case n >= len(all):
			return 0, fmt.Errorf("store: the database has schema version %d (%s) and this program knows up to %d; run the "+
				"newer Airlock, or go back with \"airlock admin restore --replace\" to the copy that it left beside the database "+
				"when it came (pre-migrate-%d.db), which loses what happened since",
				m.version, m.name, len(all), len(all))
		case m.version != all[n].version || m.checksum != all[n].checksum:
			return 0, fmt.Errorf("store: this program can't read the database, which an unreleased Airlock made (migration "+
				"%d, %s, differs); start with an empty data directory, or run the Airlock that made it", m.version, m.name)
		}
		n++
	}
	return n, rows.Err()
}

// copyBefore leaves a compact copy of the database beside it, named once it is whole.
func copyBefore(ctx context.Context, conn *sql.Conn, dir string, version int) error {
	final := filepath.Join(dir, fmt.Sprintf("pre-migrate-%d.db", version))
	dropAbandonedCopies(dir)
	// unique, since other processes may migrate too; SQLite fills an empty file and keeps its mode
	f, err := os.CreateTemp(dir, filepath.Base(final)+".*"+CopySuffix)
	if err != nil {
		return fmt.Errorf("store: copy before migration: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX) // until it is closed: somebody is at it
	if err == nil {
		_, err = conn.ExecContext(ctx, "VACUUM INTO ?", f.Name())
	}
	if err == nil {
		err = f.Sync() // what follows must not be on the disk before the way back is
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), final)
	}
	if err == nil {
		err = atomicfile.SyncDir(dir)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("store: copy before migration: %w", err)
	}
	return nil
}

// abandonedAfter is the minimum age of an abandoned copy without a name. Its maker locks a copy at
// once.
const abandonedAfter = time.Minute

// dropAbandonedCopies removes copies of killed processes, each as large as the database. It leaves
// those that it can't remove.
func dropAbandonedCopies(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "pre-migrate-*.db.*"+CopySuffix))
	for _, name := range names {
		f, err := os.Open(name) //nolint:gosec // in the data directory
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err == nil && time.Since(info.ModTime()) > abandonedAfter &&
			unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.Remove(name)
		}
		_ = f.Close()
	}
}

func applyAll(ctx context.Context, conn *sql.Conn, pending []migration, log *slog.Logger) (err error) {
	// Rebuilding a table drops it, which would delete referring rows.
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return fmt.Errorf("store: migrate: %w", err)
	}
	defer func() {
		_, onErr := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA foreign_keys = ON")
		err = errors.Join(err, onErr)
	}()
	for _, m := range pending {
		made, err := apply(ctx, conn, m)
		if err != nil {
			return fmt.Errorf("store: migration %04d_%s: %w", m.version, m.name, err)
		}
		if made && log != nil {
			log.InfoContext(ctx, "schema migrated", "version", m.version, "name", m.name)
		}
	}
	return nil
}

// apply runs one migration in one transaction. made is false if another process just did.
func apply(ctx context.Context, conn *sql.Conn, m migration) (made bool, err error) {
	tx, err := conn.BeginTx(ctx, nil) // immediate, by the connection's setting
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }()
	var there int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM schema_migrations WHERE version = ?",
		m.version).Scan(&there); err != nil || there > 0 {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, m.sql); err != nil {
		return false, err
	}
	if err := checkForeignKeys(ctx, tx); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx,
		"INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)",
		m.version, m.name, m.checksum, time.Now().UnixMilli()); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

func checkForeignKeys(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	if rows.Next() {
		return errors.New("it leaves rows that refer to nothing")
	}
	return rows.Err()
}
