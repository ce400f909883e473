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

// Copy writes a compact, consistent copy of the database to path, with mode 0600.
//
// path must not exist. Writers go on meanwhile. The copy gets its name when it is whole and on the
// disk. A process that dies earlier leaves a file with the prefix path and the suffix CopySuffix.
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

// Reusable returns how many free bytes the file has before it must grow.
func (s *Store) Reusable(ctx context.Context) (int64, error) { return reusable(ctx, s.read(ctx)) }

func reusable(ctx context.Context, db *gorm.DB) (int64, error) {
	return sizeOf(ctx, db, "SELECT freelist_count * page_size FROM pragma_freelist_count(), pragma_page_size()")
}

func sizeOf(ctx context.Context, db *gorm.DB, query string) (size int64, err error) {
	err = rowOf(ctx, db, query).Scan(&size)
	return size, wrapError("size", err)
}

// Compact rewrites the database without free pages. It needs twice the result's size on the disk
// and blocks writers, so stop the server first.
func (s *Store) Compact(ctx context.Context) error {
	for _, statement := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if err := s.writer.WithContext(ctx).Exec(statement).Error; err != nil {
			return s.addWriteCode(fmt.Errorf("store: compact: %w", err))
		}
	}
	return nil
}

// Check verifies the file's pages, indexes and foreign keys.
func (s *Store) Check(ctx context.Context) error {
	var found string
	if err := rowOf(ctx, s.read(ctx), "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return wrapError("check", err)
	}
	if found != "ok" {
		return fmt.Errorf("store: check: %s", found)
	}
	err := rowOf(ctx, s.read(ctx), "SELECT \"table\" FROM pragma_foreign_key_check").Scan(&found)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return wrapError("check", err)
	}
	return fmt.Errorf("store: check: a row of %s refers to nothing", found)
}
