package store

import (
	"log/slog"
	"testing"
)

// open makes a fresh store in a directory of the test.
func open(t *testing.T) *Store { t.Helper(); return openIn(t, t.TempDir()) }

func openIn(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil)))
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
