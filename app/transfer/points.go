package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Restore points are database copies from before imports, sealed with the instance key.
const (
	pointPrefix = "before-import-"
	asidePrefix = "before-restore-" // of a database that a restore set aside
	pointSuffix = ".db"
	maxPoints   = 3
	stampForm   = "20060102T150405.000Z"
)

// RestorePoint is a copy of the database from before an import.
type RestorePoint struct {
	Name string // of the file in the data directory
	At   time.Time
	Size int64 // bytes
}

// RestorePoints lists them, newest first.
func (s *Service) RestorePoints() ([]RestorePoint, error) {
	names, err := Copies(s.cfg.Dir)
	if err != nil {
		return nil, err
	}
	var list []RestorePoint
	for _, name := range names {
		at, err := time.Parse(stampForm, strings.TrimSuffix(strings.TrimPrefix(name, pointPrefix), pointSuffix))
		if err != nil {
			continue
		}
		info, err := os.Lstat(filepath.Join(s.cfg.Dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("transfer: restore points: %w", err)
		}
		list = append(list, RestorePoint{Name: name, At: at, Size: info.Size()})
	}
	slices.SortFunc(list, func(a, b RestorePoint) int { return b.At.Compare(a.At) })
	return list, nil
}

// Copies returns the names of database copies from before imports and restores. Each is sealed with
// its time's instance key.
func Copies(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("transfer: copies: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, pointSuffix) &&
			(strings.HasPrefix(name, pointPrefix) || strings.HasPrefix(name, asidePrefix)) {
			names = append(names, name)
		}
	}
	return names, nil
}

// DeleteRestorePoint deletes one of RestorePoints and records by whom. That import can't be undone
// afterwards. CodeNotFound if there is none of that name; people only.
func (s *Service) DeleteRestorePoint(ctx context.Context, by app.Actor, name string) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	list, err := s.RestorePoints()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(p RestorePoint) bool { return p.Name == name }) {
		return app.E(app.CodeNotFound, "there is no such restore point",
			"It may have been deleted already. See Settings, Export & import.")
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Audit(ctx, s.event(by, "transfer.forget", name,
			"Deleted a copy of the database from before an import.")); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(s.cfg.Dir, name)); err != nil { // last: what is not deleted leaves no entry either
			return fmt.Errorf("transfer: restore points: %w", err)
		}
		return nil
	})
}

// keepRestorePoint copies the database and returns the copy's name. It never replaces another copy
// of the same moment.
func (s *Service) keepRestorePoint(ctx context.Context) (name string, err error) {
	size, err := s.cfg.Store.Size(ctx)
	if err != nil {
		return "", err
	}
	if err := s.CheckSpace(size); err != nil {
		return "", err
	}
	for at := s.now(); ; at = at.Add(time.Millisecond) {
		name = pointPrefix + at.Format(stampForm) + pointSuffix
		if err := s.cfg.Store.Copy(ctx, filepath.Join(s.cfg.Dir, name)); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// removePoint removes the copy of a failed import, so that it pushes no needed one out.
func (s *Service) removePoint(ctx context.Context, name string) {
	if err := os.Remove(filepath.Join(s.cfg.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.cfg.Log.ErrorContext(ctx, "a restore point that is not needed could not be removed", "name", name, "error", err)
	}
}

// dropOldPoints keeps the newest copies. Failures are only logged, since the import is done.
func (s *Service) dropOldPoints(ctx context.Context) {
	list, err := s.RestorePoints()
	if err != nil {
		s.cfg.Log.ErrorContext(ctx, "restore points could not be listed", "error", err)
	}
	for _, old := range list[min(maxPoints, len(list)):] {
		s.removePoint(ctx, old.Name)
	}
}
