package main

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
)

const farKey = "a key that is not on the disk of the data, long enough"

// A key beside the data, or in a file on the same disk, is warned of; one on another file system or in the environment is not.
func TestKeyAndDataOnOneDiskAreTold(t *testing.T) {
	far, err := os.CreateTemp("/dev/shm", "airlock-test-")
	must(t, err)
	t.Cleanup(func() { _ = os.Remove(far.Name()) })
	_, err = far.WriteString(farKey + "\n")
	must(t, err)
	must(t, far.Close())
	dir := t.TempDir()
	if sameDisk(far.Name(), dir) {
		t.Fatalf("%s and %s are on one file system: set TMPDIR to another one than /dev/shm", far.Name(), dir)
	}
	near := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(near, []byte(farKey+"\n"), 0o600))
	for name, tt := range map[string]struct {
		set  func(*config)
		risk bool
	}{
		"beside the data":    {func(*config) {}, true},
		"a file on its disk": {func(c *config) { c.SecretKeyFile = near }, true},
		"a file on another":  {func(c *config) { c.SecretKeyFile = far.Name() }, false},
		"in the environment": {func(c *config) { c.SecretKey = app.NewSecret(farKey) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config{DataDir: t.TempDir()}
			tt.set(&cfg)
			i, err := openInstance(t.Context(), cfg, slog.New(slog.DiscardHandler))
			must(t, err)
			info := i.keyInfo()
			must(t, i.close())
			if (info.Risk != "") != tt.risk || info.ID == "" {
				t.Errorf("%+v", info)
			}
		})
	}
}

// A database whose instance.key is missing is refused with what to do, and no new key is left in the place of the one that is missing.
func TestNoKeyIsMadeForADatabaseThatHadAnother(t *testing.T) {
	cfg := config{DataDir: t.TempDir()}
	file := filepath.Join(cfg.DataDir, secrets.InstanceKeyFile)
	i, err := openInstance(t.Context(), cfg, slog.New(slog.DiscardHandler))
	must(t, err)
	must(t, i.close())
	key, err := os.ReadFile(file)
	must(t, err)
	must(t, os.Remove(file))
	_, err = openInstance(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if app.CodeOf(err) != app.CodeConflict || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key was left there: %v", err)
	}
	must(t, os.WriteFile(file, key, 0o600))
	i, err = openInstance(t.Context(), cfg, slog.New(slog.DiscardHandler))
	must(t, err)
	must(t, i.close())
}
