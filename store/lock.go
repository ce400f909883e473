package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// LockName is the lock file's name in the data directory.
const LockName = "airlock.lock"

// ErrLocked is returned by LockDir when another server has the directory.
var ErrLocked = errors.New("store: another airlock serve uses this data directory; stop it first or choose another directory")

// Lock keeps other servers off a data directory until Release or the end of the process, however it ends.
type Lock struct{ file *os.File }

// LockDir takes the directory's lock for a server, making the directory if need be. airlock admin works beside a server and takes none.
func LockDir(dir string) (*Lock, error) {
	if err := prepareDir(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, LockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: lock: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, fmt.Errorf("store: lock: %w", err)
	}
	return &Lock{f}, nil
}

// Release gives the lock up. The file stays: removing it would let two servers lock two files of one name.
func (l *Lock) Release() error { return l.file.Close() }
