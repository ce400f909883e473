package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// TestHoleM4UnfinishedKeyFile: a start killed while it wrote the instance key left a key file for
// ever.
func TestHoleM4UnfinishedKeyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".instance.key-1234")
	e2e.Must(t, os.WriteFile(path, []byte("a key"), 0o600))
	rotation, err := instance.LockRotation(dir)
	e2e.Must(t, err)
	e2e.Must(t, dropUnfinishedKeys(dir))
	if _, err := os.Stat(path); err != nil {
		t.Errorf("beside a rotation: %v", err)
	}
	e2e.Must(t, rotation.Close())
	e2e.Must(t, dropUnfinishedKeys(dir))
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it is left: %v", err)
	}
}
