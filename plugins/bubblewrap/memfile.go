package bubblewrap

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// guestName is the name of the memory file with the guest.
const guestName = "airlock-init"

// maxPipe is what a fresh pipe holds on every kernel.
const maxPipe = 64 << 10

// filled returns the read end of a pipe that holds data and is at its end after it. Unlike a memory file it can be handed to a
// process that reads from "the current position" without sharing that position with others.
func filled(data []byte) (*os.File, error) {
	if len(data) > maxPipe {
		return nil, fmt.Errorf("%d bytes do not fit into a pipe", len(data))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	if err = firstError(err, w.Close()); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// sealed returns a read-only descriptor of an executable memory file that nobody can change any more.
func sealed(name string, data []byte) (*os.File, error) {
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

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
