// Package storetest opens databases for tests. They copy one file with its schema and don't wait
// for the disk.
package storetest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/internal/testonly"
)

// Open opens a new database in a directory of the test and closes it with the test.
func Open(tb testing.TB) *store.Store {
	tb.Helper()
	return OpenIn(tb, tb.TempDir(), nil)
}

// OpenIn opens or creates the database in dir and closes it with the test. A nil log discards.
func OpenIn(tb testing.TB, dir string, log *slog.Logger) *store.Store {
	tb.Helper()
	path := filepath.Join(dir, store.FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		Create(tb, dir)
	}
	s, err := store.OpenVolatile(tb.Context(), dir, log, testonly.Key{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// Create creates a closed database in dir and returns its path.
func Create(tb testing.TB, dir string) string {
	tb.Helper()
	file, err := migrated()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, store.FileName)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// migrated returns an empty migrated database, made once per process.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := store.OpenVolatile(context.Background(), dir, nil, testonly.Key{})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, store.FileName))
})
