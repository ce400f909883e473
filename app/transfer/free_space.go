package transfer

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app"
)

// checkInterval is the number of bytes between checks of the disk.
const checkInterval = 16 << 20

// CheckSpace returns CodeTooLarge unless the data directory has room for size bytes and the
// database.
func (s *Service) CheckSpace(size int64) error {
	free, err := s.cfg.FreeSpace(s.cfg.Dir)
	if err != nil {
		return fmt.Errorf("transfer: free space: %w", err)
	}
	const spare = 64 << 20
	if free < size+spare {
		return app.E(app.CodeTooLarge,
			fmt.Sprintf("the disk of the data directory has %d MiB left and %d MiB are needed", free>>20, (size+spare)>>20),
			"Make room on it, or move the data directory to a larger disk.")
	}
	return nil
}

func freeSpace(dir string) (int64, error) {
	var disk unix.Statfs_t
	err := unix.Statfs(dir, &disk)
	return int64(disk.Bavail) * disk.Bsize, err //nolint:gosec // a disk has fewer than 2^63 bytes
}

// WatchSpace returns a writer into the data directory that checks the disk.
func (s *Service) WatchSpace(w io.Writer) io.Writer { return &spaceWatcher{w: w, s: s} }

// spaceWatcher checks the disk before and during long writes, so that the database keeps room.
type spaceWatcher struct {
	w    io.Writer
	s    *Service
	left int64 // bytes until it looks again
}

func (r *spaceWatcher) Write(p []byte) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		if err := r.s.CheckSpace(checkInterval); err != nil {
			return 0, err
		}
		r.left = checkInterval
	}
	return r.w.Write(p)
}
