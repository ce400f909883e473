package supervisor

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/rlimit"
)

// harden closes this process to the box and makes it the parent of its orphans.
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

// lowerLimits sets the limits that the kernel holds per process. The guest inherits them; the
// supervisor needs few descriptors and no large files.
func lowerLimits(l Limits, sharedUID bool) error {
	for _, limit := range rlimit.OfBox(l.Files, fileLimit(l.Tmp)) {
		set := limit.Set
		if limit.Name == "nofile" && sharedUID {
			set = limit.SetSoft // see raiseOwnLimit
		}
		if err := set(); err != nil {
			return err
		}
	}
	return nil
}

// raiseOwnLimit bounds the guest's descriptors for good and raises the supervisor's own bound. The
// kernel counts descriptors in flight by uid and compares them with the sender's bound. With a
// shared uid, a script at its bound would else keep all supervisors from passing connections.
func raiseOwnLimit(guest int, files int64) error {
	const room = 1 << 10
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &now); err != nil {
		return fmt.Errorf("limit NOFILE: %w", err)
	}
	bound := min(uint64(files), now.Max)
	if err := unix.Prlimit(guest, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: bound, Max: bound}, nil); err != nil {
		return fmt.Errorf("limit NOFILE of the guest: %w", err)
	}
	own := min(bound+room, now.Max)
	if err := syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: own, Max: own}); err != nil {
		return fmt.Errorf("limit NOFILE: %w", err)
	}
	return nil
}

// fileLimit is the largest size of one file, less than all files together. A script that fills one
// file then gets an error it can handle, before the directory's limit ends the box.
func fileLimit(tmp int64) int64 { return tmp - tmp/16 }
