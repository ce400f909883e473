package instance

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/store"
)

// openFiles opens what keeps files, artifacts and the files of skills.
func openFiles(cfg config.Config, st *store.Store, ring *secrets.Keyring, log *slog.Logger) (*files.Files, error) {
	dir, err := filepath.Abs(filepath.Join(cfg.DataDir, files.Dir))
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("files: %w", err)
	}
	local, err := blobs.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return files.New(files.Config{
		Store: st, Keyring: ring, Storage: backups.NewFilesStorage(st, ring, local), Dir: dir, Quota: cfg.FilesQuota,
		Retention: time.Duration(cfg.FilesDays) * 24 * time.Hour, Log: log,
	}), nil
}
