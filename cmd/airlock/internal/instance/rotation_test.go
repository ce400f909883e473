package instance

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// TestAServerFinishesARotationAfterOlderCommands: what a command seals with the old key would be
// lost. New ones are shut out at once.
func TestAServerFinishesARotationAfterOlderCommands(t *testing.T) {
	before := config.Config{DataDir: t.TempDir(), SecretKey: app.NewSecret("the key of one's own before the rotation")}
	log := slog.New(slog.DiscardHandler)
	i, err := Open(t.Context(), before, log)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil || i.Rotating {
		t.Fatal(err, i.Rotating)
	}
	after := before
	after.SecretKey, after.OldSecretKey = app.NewSecret("the key of one's own after the rotation"), before.SecretKey
	if i, err = Open(t.Context(), after, log); err != nil || !i.Rotating {
		t.Fatal(err)
	}
	command, err := ShareKeys(before.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := i.FinishRotationBeside(soon, after); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside a command: %v", err)
	}
	if _, err := Open(t.Context(), before, log); err == nil {
		t.Error("the old key alone opens the database")
	}
	if err := command.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := i.FinishRotationBeside(t.Context(), after); err != nil {
		t.Error(err)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
	after.OldSecretKey = app.Secret{}
	if i, err = Open(t.Context(), after, log); err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}
