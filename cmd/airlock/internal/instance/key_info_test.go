package instance

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

const farKey = "a key that is not on the disk of the data, long enough"

// A key on the data's disk gets a warning; on another file system or in the environment it doesn't.
func TestKeyAndDataOnOneDiskAreTold(t *testing.T) {
	far, err := os.CreateTemp("/dev/shm", "airlock-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(far.Name()) })
	_, err = far.WriteString(farKey + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := far.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if sameDisk(far.Name(), dir) {
		t.Fatalf("%s and %s are on one file system: set TMPDIR to another one than /dev/shm", far.Name(), dir)
	}
	near := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(near, []byte(farKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		set  func(*config.Config)
		risk bool
	}{
		"beside the data":    {func(*config.Config) {}, true},
		"a file on its disk": {func(c *config.Config) { c.SecretKeyFile = near }, true},
		"a file on another":  {func(c *config.Config) { c.SecretKeyFile = far.Name() }, false},
		"in the environment": {func(c *config.Config) { c.SecretKey = app.NewSecret(farKey) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config.Config{DataDir: t.TempDir()}
			tt.set(&cfg)
			i, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			info := i.Key
			if err := i.Close(); err != nil {
				t.Fatal(err)
			}
			if (info.Risk != "") != tt.risk || info.ID == "" {
				t.Errorf("%+v", info)
			}
		})
	}
}

// A database without its instance.key is refused with the next step, and no new key is left.
func TestNoKeyIsMadeForADatabaseThatHadAnother(t *testing.T) {
	cfg := config.Config{DataDir: t.TempDir()}
	file := filepath.Join(cfg.DataDir, secrets.InstanceKeyFile)
	i, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if app.CodeOf(err) != app.CodeConflict || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key was left there: %v", err)
	}
	if err := os.WriteFile(file, key, 0o600); err != nil {
		t.Fatal(err)
	}
	i, err = Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
}
