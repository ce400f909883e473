package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFileModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := openReal(t, dir)
	if err := s.Write(t.Context(), func(tx *Tx) error {
		return tx.Settings.Set(t.Context(), time.Now(), Setting{Key: "a", Value: []byte("b")})
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, FileName: 0o600, FileName + "-wal": 0o600,
		FileName + "-shm": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", name, got, want)
		}
	}
}

func TestOpenTightensModes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chmod(path, 0o644), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	openReal(t, dir)
	for path, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %o", path, info.Mode(), err, want)
		}
	}
}

func TestSharedDirectoryIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), dir, nil); err == nil {
		_ = s.Close()
		t.Error("opened in a directory that everybody shares")
	}
}

func TestDirectoryWithOddName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a?b=c&mode=memory#%41 ü")
	s := openReal(t, dir)
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		t.Error(err)
	}
	if err := s.read(t.Context()).Exec("SELECT 1 FROM settings").Error; err != nil {
		t.Error(err)
	}
}
