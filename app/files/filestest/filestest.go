// Package filestest keeps files for tests. It is for tests only.
package filestest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// New keeps contents in the data directory dir.
func New(tb testing.TB, dir string, st *store.Store, ring *secrets.Keyring) *files.Files {
	tb.Helper()
	dir = filepath.Join(dir, files.Dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	storage, err := blobs.OpenDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return files.New(files.Config{Store: st, Keyring: ring, Storage: storage, Dir: dir})
}
