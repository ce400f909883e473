package stdio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// CloseOnExec keeps all inherited descriptors of this process out of boxes. Go marks those that it
// opens itself. It reads /proc, since containers' filters may not know close_range.
func CloseOnExec() error {
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(fds) == 0 {
		return fmt.Errorf("list own descriptors: %w", errors.Join(err, os.ErrNotExist))
	}
	for _, path := range fds {
		if fd, err := strconv.Atoi(filepath.Base(path)); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
