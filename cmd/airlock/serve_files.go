package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// openFiles opens what keeps files and artifacts: in a directory, or in the bucket of house's backups.
func openFiles(cfg config.Config, i *instance.Instance, house *transfer.Service, log *slog.Logger) (*files.Files,
	error) {
	dir, err := filepath.Abs(filepath.Join(cfg.DataDir, files.Dir))
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("files: %w", err)
	}
	var storage blobs.Store = house.FilesStorage()
	if cfg.FilesStorage == config.FilesInDirectory {
		if storage, err = blobs.OpenDir(dir); err != nil {
			return nil, err
		}
	}
	return files.New(files.Config{
		Store: i.Store, Keyring: i.Keyring, Storage: storage, Dir: dir, Quota: cfg.FilesQuota,
		Retention: time.Duration(cfg.FilesDays) * 24 * time.Hour, Log: log,
	}), nil
}
