package store

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// migrated returns the bytes of an empty database with its schema, made once.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "store-test-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := openWith(context.Background(), dir, nil, unsynced)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, FileName))
})

// create puts a new database into dir unless there is one.
func create(t testing.TB, dir string) {
	t.Helper()
	file, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// open opens a new database in a directory of the test.
func open(t *testing.T) *Store { t.Helper(); return openIn(t, t.TempDir()) }

// openIn opens the database in dir, a new one if there is none, without waiting for the disk.
func openIn(t *testing.T, dir string) *Store {
	t.Helper()
	create(t, dir)
	return closing(t)(openWith(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil)), unsynced))
}

// openReal opens the database in dir as the program does.
func openReal(t *testing.T, dir string) *Store {
	t.Helper()
	return closing(t)(Open(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil))))
}

// closing closes a store with the test.
func closing(t *testing.T) func(*Store, error) *Store {
	return func(s *Store, err error) *Store {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
}
