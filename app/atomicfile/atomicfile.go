// Package atomicfile writes files completely or not at all.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Finish syncs f, closes it and links it as path in the same directory. It never replaces a file.
// The old name is gone in any case. failure is an earlier error of filling f. Errors: failure;
// fs.ErrExist if path exists.
func Finish(f *os.File, path string, failure error) (err error) {
	if err = failure; err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Claim(f.Name(), path)
	}
	if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) { // it may have been renamed
		err = errors.Join(err, gone)
	}
	if err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// Claim gives a file the name to, in one step, and never replaces another. It has its old name,
// too, until that is removed; on a volume without hard links it has the new one alone. Errors:
// fs.ErrExist, fs.ErrNotExist.
func Claim(from, to string) error { return claim(from, to, os.Link) }

func claim(from, to string, link func(from, to string) error) error {
	err := link(from, to)
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if err == nil {
		return nil
	}
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	if _, there := os.Lstat(to); !errors.Is(there, fs.ErrNotExist) { // not in one step: the volume has none
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.Join(there, fs.ErrExist)}
	}
	return os.Rename(from, to)
}

// SyncDir puts a directory's names on the disk, where its volume can.
func SyncDir(path string) error {
	d, err := os.Open(path) //nolint:gosec // of files that were just written
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}
