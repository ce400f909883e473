package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// perFile is what a file counts besides its blocks. File systems have a bound number of them.
const perFile = 1 << 10

// tmpUsage returns the size of the private directory in bytes, and stops beyond limit. The tree is
// of any depth and changes meanwhile. So the walk holds one directory at a time, goes up by "..",
// and gives up if that leads elsewhere. It must run on a thread that acts as the box's uid, and
// opens directories that their owner closed.
func tmpUsage(dir string, limit int64) (total int64, err error) {
	type level struct {
		inode uint64
		todo  []string
	}
	fd, err := openDirectory(unix.AT_FDCWD, dir)
	if err != nil {
		return 0, err
	}
	defer func() { unix.Close(fd) }()
	var path []level
	for {
		bytes, inode, subdirectories, err := directory(fd)
		if err != nil {
			return total, err
		}
		if total += bytes; total > limit {
			return total, nil
		}
		path = append(path, level{inode, subdirectories})
		for len(path[len(path)-1].todo) == 0 {
			if path = path[:len(path)-1]; len(path) == 0 {
				return total, nil
			}
			var stat unix.Stat_t
			if fd, err = enter(fd, ".."); err != nil {
				return total, err
			}
			if err := unix.Fstat(fd, &stat); err != nil || stat.Ino != path[len(path)-1].inode {
				return total, errMoved
			}
		}
		here := &path[len(path)-1]
		next := here.todo[0]
		here.todo = here.todo[1:]
		if fd, err = enter(fd, next); err != nil {
			return total, err
		}
	}
}

// errMoved says that directories were moved while they were walked. A walk in vain is tried again.
var errMoved = errors.New("directories were moved")

// enter replaces fd by the directory name in it.
func enter(fd int, name string) (int, error) {
	next, err := openDirectory(fd, name)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		err = errMoved
	}
	if err != nil {
		return fd, err
	}
	unix.Close(fd)
	return next, nil
}

// openDirectory opens a directory to look inside, whatever mode its owner gave it.
func openDirectory(at int, name string) (int, error) {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IXUSR != 0 {
			return fd, nil
		}
		unix.Close(fd) // its entries could be listed, and not looked at
		err = unix.EACCES
	}
	if errors.Is(err, unix.EACCES) {
		return openClosed(at, name)
	}
	return -1, err
}

// openClosed opens a directory that its owner closed. It never follows a link that may replace it.
func openClosed(fd int, name string) (int, error) {
	path, err := unix.Openat(fd, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(path)
	here := fmt.Sprintf("/proc/self/fd/%d", path)
	if err := unix.Chmod(here, 0o700); err != nil {
		return -1, err
	}
	return unix.Open(here, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// directory adds up what is in one directory.
func directory(fd int) (total int64, inode uint64, subdirectories []string, err error) {
	var self unix.Stat_t
	if err := unix.Fstat(fd, &self); err != nil {
		return 0, 0, nil, err
	}
	names, err := namesIn(fd)
	if err != nil && !errors.Is(err, unix.ENOENT) { // a directory that was removed since has nothing in it
		return 0, 0, nil, err
	}
	for _, name := range names {
		var stat unix.Stat_t
		if unix.Fstatat(fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue // gone
		}
		total += perFile
		if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
			subdirectories = append(subdirectories, name)
		}
		total += stat.Blocks * 512 / int64(max(stat.Nlink, 1))
	}
	return total, self.Ino, subdirectories, nil
}

func namesIn(fd int) ([]string, error) {
	again, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(again), ".")
	defer file.Close()
	return file.Readdirnames(-1)
}

// RemoveTree removes a directory of any depth with one descriptor and no recursion. It moves the
// content of subdirectories up until only files and empty directories are left. Nobody else may
// work in it. It also removes a dir that is no directory.
func RemoveTree(dir string) error {
	top, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		if err := unix.Unlink(dir); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("remove %s: %w", dir, err)
		}
		return nil
	}
	if errors.Is(err, unix.EACCES) && os.Chmod(dir, 0o700) == nil {
		top, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", dir, err)
	}
	defer unix.Close(top)
	_ = unix.Fchmod(top, 0o700)
	for next := 0; ; {
		names, err := namesIn(top)
		if err != nil {
			return fmt.Errorf("remove %s: %w", dir, err)
		}
		if len(names) == 0 {
			break
		}
		for _, name := range names {
			if err := removeEntry(top, name, &next); err != nil {
				return fmt.Errorf("remove %s: %w", filepath.Join(dir, name), err)
			}
		}
	}
	if err := os.Remove(dir); err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return nil
}

// removeEntry removes one entry of top. Subdirectories of a directory are moved into top under
// fresh names.
func removeEntry(top int, name string, next *int) error {
	err := unix.Unlinkat(top, name, 0)
	if !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EPERM) {
		return err
	}
	_ = unix.Fchmodat(top, name, 0o700, 0)
	dir, err := unix.Openat(top, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	names, err := namesIn(dir)
	if err != nil {
		return err
	}
	for _, inner := range names {
		err := unix.Unlinkat(dir, inner, 0)
		if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
			_ = unix.Fchmodat(dir, inner, 0o700, 0) // moving a directory writes to it
			err = moveUp(dir, inner, top, next)
		}
		if err != nil {
			return err
		}
	}
	return unix.Unlinkat(top, name, unix.AT_REMOVEDIR)
}

func moveUp(dir int, name string, top int, next *int) error {
	for {
		*next++
		err := unix.Renameat2(dir, name, top, "."+strconv.Itoa(*next), unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}

// RemoveOwned removes a supervisor's private directory, or a file beside it, as its owner.
func RemoveOwned(dir string) error {
	var stat unix.Stat_t
	switch err := unix.Lstat(dir, &stat); {
	case errors.Is(err, unix.ENOENT):
		return nil
	case err != nil:
		return fmt.Errorf("remove %s: %w", dir, err)
	}
	uid := int(stat.Uid)
	if uid == os.Geteuid() {
		uid = 0
	}
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends with what it became
		err := actAs(uid)
		for range 10 { // a dying supervisor may be at it too
			if err == nil {
				err = RemoveTree(dir)
			}
			if !errors.Is(err, unix.ENOENT) {
				break
			}
			err = nil
		}
		result <- err
	}()
	return <-result
}
