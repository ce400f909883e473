package warden

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// harden closes this process to the box and makes it the parent of whatever the box orphans.
func harden(uid int) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("set non-dumpable: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	if uid == 0 {
		return nil
	}
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("drop groups (needs the capability SETGID): %w", err)
	}
	return nil
}

// lower sets the limits that the kernel holds per process. The guest inherits them; the warden itself needs few descriptors and no large files.
func lower(l Limits) error {
	for _, limit := range []struct {
		name     string
		resource int
		value    uint64
	}{
		{"NOFILE", unix.RLIMIT_NOFILE, uint64(l.Files)},
		{"FSIZE", unix.RLIMIT_FSIZE, fileLimit(l.Tmp)},
		{"CORE", unix.RLIMIT_CORE, 0},
		{"MEMLOCK", unix.RLIMIT_MEMLOCK, 0},
		{"MSGQUEUE", unix.RLIMIT_MSGQUEUE, 0},
		{"NICE", unix.RLIMIT_NICE, 0},
		{"RTPRIO", unix.RLIMIT_RTPRIO, 0},
		{"SIGPENDING", unix.RLIMIT_SIGPENDING, 256},
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(limit.resource, &now); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
		value := min(limit.value, now.Max)
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
	}
	return nil
}

// fileLimit is how large one file may get: less than all files together, so that a script that writes one without end always meets the file's limit (an
// error it can handle) and not, whenever the warden looks just then, the directory's, which ends the box.
func fileLimit(tmp int64) uint64 { return uint64(tmp - tmp/16) }
