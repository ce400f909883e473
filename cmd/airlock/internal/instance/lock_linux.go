package instance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// LockDataDir keeps a second server off a data directory: it would declare running executions lost.
// The lock ends with the process. Only admin commands that must not run beside a server take it.
func LockDataDir(dir string) (*os.File, error) {
	return lock(dir, "serve.lock", "another server uses the data directory "+dir+"; stop it, or set AIRLOCK_DATA_DIR")
}

// keysLock is shared by running commands, and exclusive to those that need to be alone.
const keysLock = "keys.lock"

// ShareKeys is for a command that may run beside the server. Data sealed with a dropped key is
// lost, so it keeps LockAlone off, and waits for it.
func ShareKeys(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, keysLock), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the instance key: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the instance key: %w", err), file.Close())
	}
	return file, nil
}

// LockAlone keeps the server and all other commands off a data directory: the command replaces its
// database or its keys.
func LockAlone(dir string) (io.Closer, error) {
	server, err := LockDataDir(dir)
	if err != nil {
		return nil, err
	}
	keys, err := lock(dir, keysLock, "another airlock admin command uses the data directory "+dir+
		"; wait until it has ended")
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return locks{server, keys}, nil
}

type locks []*os.File

func (l locks) Close() error { return errors.Join(l[0].Close(), l[1].Close()) }

// lock locks a file in the data directory; taken is the error for a lock that is held.
func lock(dir, name, taken string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w (set AIRLOCK_DATA_DIR)", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w (set AIRLOCK_DATA_DIR)", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, cli.UsageError{Message: taken}
	}
	return nil, fmt.Errorf("lock the data directory: %w (set AIRLOCK_DATA_DIR)", err)
}
