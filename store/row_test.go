package store

import (
	"context"
	"errors"
	"testing"
)

// Where a statement could not be prepared, the mapper's pool answers with a row that is none, and whoever reads that panics: a request that was given up, or the stop of an
// execution that is about to be bound, ended the whole server.
func TestARowOfAStatementThatCouldNotBePrepared(t *testing.T) {
	s := open(t)
	for name, read := range map[string]func(context.Context, *Tx) error{
		"profile": func(ctx context.Context, tx *Tx) error {
			_, err := tx.ProfileToRun(ctx, "x")
			return err
		},
		"policy": func(ctx context.Context, tx *Tx) error {
			_, err := tx.Policy(ctx, "x", 1)
			return err
		},
		"queue": func(ctx context.Context, tx *Tx) error {
			_, _, err := tx.Queued(ctx, "x")
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Read(t.Context(), func(tx *Tx) error {
			cancel()
			return read(ctx, tx)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Standing(gone, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("standing: %v", err)
	}
}
