// Package memfile keeps programs in memory, for sandboxes that may reach no file of the host.
package memfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Seal returns a read-only descriptor of an immutable, executable memory file. No box can reach
// it through a directory.
func Seal(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // Linux before 6.3 doesn't know MFD_EXEC and needs no asking
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, fmt.Errorf("memory file: %w", err)
	}
	w := os.NewFile(uintptr(fd), name)
	defer w.Close()
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("memory file: %w", err)
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(w.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, fmt.Errorf("seal memory file: %w", err)
	}
	// Readable too: otherwise the process's memory isn't readable, and the supervisor has to read
	// it.
	if err := w.Chmod(0o555); err != nil {
		return nil, fmt.Errorf("memory file: %w", err)
	}
	// A file that is open for writing can't be executed, so only a reading descriptor is kept.
	r, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", w.Fd()))
	if err != nil {
		return nil, fmt.Errorf("memory file: %w", err)
	}
	return r, nil
}
