package stdio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// CloseOnExec makes sure that no descriptor this process was started with reaches a box. Go marks
// those that it opens itself. Containers' filters may not know close_range, so it looks.
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
