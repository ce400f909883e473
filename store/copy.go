package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/computclaw/airlock/app/atomicfile"

	"gorm.io/gorm"
)

// Copy writes a compact, consistent copy of the database to path, which must not exist, with mode
// 0600. It reads only: writers go on meanwhile. The copy gets its name when it is whole and on the
// disk; a process that dies before leaves a file whose name begins like path and ends in
// CopySuffix.
func (s *Store) Copy(ctx context.Context, path string) error {
	// SQLite fills an empty file and keeps its mode, 0600
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+CopySuffix)
	if err != nil {
		return fmt.Errorf("store: copy: %w", err)
	}
	if err := atomicfile.Finish(f, path, s.read(ctx).Exec("VACUUM INTO ?", f.Name()).Error); err != nil {
		return fmt.Errorf("store: copy: %w", err)
	}
	return nil
}

// CopySuffix ends the names of copies that are not whole.
const CopySuffix = ".tmp"

// Size is how many bytes the database takes, without its write-ahead log.
func (s *Store) Size(ctx context.Context) (int64, error) {
	return sizeOf(ctx, s.read(ctx), "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
}

// Reusable is how many bytes of these hold nothing, and are used before the file grows.
func (s *Store) Reusable(ctx context.Context) (int64, error) { return reusable(ctx, s.read(ctx)) }

func reusable(ctx context.Context, db *gorm.DB) (int64, error) {
	return sizeOf(ctx, db, "SELECT freelist_count * page_size FROM pragma_freelist_count(), pragma_page_size()")
}

func sizeOf(ctx context.Context, db *gorm.DB, query string) (size int64, err error) {
	err = rowOf(ctx, db, query).Scan(&size)
	return size, failed("size", err)
}

// Compact writes the whole database anew, without what is empty, and gives the rest back to the
// file system. It needs as much room as the result takes, twice, and nobody else can write
// meanwhile: it is for a server that is stopped.
func (s *Store) Compact(ctx context.Context) error {
	for _, statement := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if err := s.writer.WithContext(ctx).Exec(statement).Error; err != nil {
			return s.noted(fmt.Errorf("store: compact: %w", err))
		}
	}
	return nil
}

// Check makes sure that the file is sound: its pages, its indexes, and that no row refers to
// nothing.
func (s *Store) Check(ctx context.Context) error {
	var found string
	if err := rowOf(ctx, s.read(ctx), "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return failed("check", err)
	}
	if found != "ok" {
		return fmt.Errorf("store: check: %s", found)
	}
	err := rowOf(ctx, s.read(ctx), "SELECT \"table\" FROM pragma_foreign_key_check").Scan(&found)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return failed("check", err)
	}
	return fmt.Errorf("store: check: a row of %s refers to nothing", found)
}
