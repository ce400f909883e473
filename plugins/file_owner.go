package plugins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkGuarded returns an error if other users than root and this one could change path. The file
// must not change between its checksum and its start.
func checkGuarded(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file; name the file itself, not a link to it", path)
	}
	if err := ours(path, info, false); err != nil {
		return err
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory; write the path without links", dir)
		}
		if err := ours(dir, info, true); err != nil {
			return err
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// ours fails for paths that others may write to. A sticky directory protects the files of others.
func ours(path string, info os.FileInfo, dir bool) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("the owner of " + path + " is not known")
	}
	if int(stat.Uid) != 0 && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (uid %d): chown root %s", path, stat.Uid, path)
	}
	if info.Mode().Perm()&0o022 != 0 && !(dir && info.Mode()&os.ModeSticky != 0) {
		return fmt.Errorf("%s is writable by others: chmod go-w %s", path, path)
	}
	return nil
}
