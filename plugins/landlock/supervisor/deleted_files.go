package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

type deletedFiles struct {
	disk   int64 // bytes in files that were removed from the private directory while open or mapped
	closed bool  // a process can't be looked at
}

// findDeletedFiles inspects descriptors and mappings. A removed file that is only mapped counts as
// longest, its largest possible size. It must run on a thread that acts as the box's uid. A process
// that executes an unreadable program hides its files.
func findDeletedFiles(processes []process, tmp string, longest int64) deletedFiles {
	var u deletedFiles
	seen := map[string]bool{}
	for _, p := range processes {
		thread := p.memory().Thread
		if thread == "" {
			continue // ended
		}
		fds, err := os.ReadDir(thread + "/fd")
		u.closed = u.closed || errors.Is(err, fs.ErrPermission)
		for _, entry := range fds {
			fd := thread + "/fd/" + entry.Name()
			target, err := os.Readlink(fd)
			u.closed = u.closed || errors.Is(err, fs.ErrPermission) // uid 0 may still list them
			var stat unix.Stat_t
			if err != nil || !isRemoved(target, tmp) || unix.Stat(fd, &stat) != nil {
				continue
			}
			key := fmt.Sprint(unix.Major(stat.Dev), ":", unix.Minor(stat.Dev), " ", stat.Ino)
			if !seen[key] {
				seen[key] = true
				u.disk += stat.Blocks * 512
			}
		}
	}
	for _, p := range processes {
		u.disk += p.removedMappings(tmp, seen) * longest
	}
	return u
}

// removedMappings counts mapped files of p that no directory or descriptor shows.
func (p process) removedMappings(tmp string, seen map[string]bool) int64 {
	thread := p.memory().Thread
	maps, err := os.ReadFile(thread + "/maps")
	if err != nil {
		return 0
	}
	var n int64
	for line := range strings.Lines(string(maps)) {
		// address perms offset dev inode path
		fields := strings.SplitN(strings.TrimSpace(line), " ", 6)
		if len(fields) < 6 || !isRemoved(strings.TrimSpace(fields[5]), tmp) {
			continue
		}
		var major, minor uint32
		if _, err := fmt.Sscanf(fields[3], "%x:%x", &major, &minor); err != nil {
			continue
		}
		key := fmt.Sprint(major, ":", minor, " ", fields[4])
		if !seen[key] {
			seen[key] = true
			n++
		}
	}
	return n
}

func isRemoved(target, tmp string) bool {
	return strings.HasPrefix(target, tmp+"/") && strings.HasSuffix(target, " (deleted)")
}
