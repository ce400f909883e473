package bubblewrap

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// closeOnExec makes sure that no descriptor this process was started with reaches a box. Go marks
// those that it opens itself.
func closeOnExec() error {
	if err := unix.CloseRange(firstFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close inherited descriptors (needs Linux 5.11): %w", err)
	}
	return nil
}
