package instance

import (
	"errors"
	"fmt"
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

// LockRotation excludes a second rotation, which would drop keys that the first needs.
func LockRotation(dir string) (*os.File, error) {
	return lock(dir, "rotate.lock", "another key rotation is under way in "+dir+"; wait until it has ended")
}

// keysLock is shared by running commands, and exclusive to those that need to be alone.
const keysLock = "keys.lock"

// ShareKeys delays a rotation's end while a command runs, which seals with the keys of its start.
// Data sealed with a dropped key is lost.
func ShareKeys(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, keysLock), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the instance key: %w", err)
	}
	// a rotation has it for a moment, a restore until its end
	if err := unix.Flock(int(file.Fd()), unix.LOCK_SH); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the instance key: %w", err), file.Close())
	}
	return file, nil
}

// AloneWithKeys reports whether no other command shares the keys. Later ones find the present keys.
func AloneWithKeys(shared *os.File) (bool, error) {
	err := unix.Flock(int(shared.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
		return false, fmt.Errorf("lock the instance key: %w", err)
	}
	if again := unix.Flock(int(shared.Fd()), unix.LOCK_SH); again != nil {
		return false, fmt.Errorf("lock the instance key: %w", again)
	}
	return err == nil, nil
}

// LockKeys keeps all other commands off a data directory whose database is being replaced. Their
// writes would be set aside, and a rotation would drop the new key. Later commands wait in
// ShareKeys.
func LockKeys(dir string) (*os.File, error) {
	return lock(dir, keysLock, "another airlock admin command uses the data directory "+dir+"; wait until it has ended")
}

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
