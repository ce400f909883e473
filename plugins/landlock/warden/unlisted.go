package warden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// unlisted is what processes hold that no directory lists, in bytes.
type unlisted struct {
	memory int64 // memory files
	disk   int64 // files that were removed from the private directory while open or mapped
}

// lookForUnlisted goes through descriptors and mappings. A removed file that is only mapped can't be measured, so it's counted with the most that it
// can have, longest. It must run on a thread that acts as the box's uid.
func lookForUnlisted(processes []process, tmp string, longest int64) unlisted {
	var u unlisted
	seen := map[string]bool{}
	for _, p := range processes {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.pid))
		for _, fd := range fds {
			target, err := os.Readlink(fd)
			memory, removed := strings.HasPrefix(target, "/memfd:"), isRemoved(target, tmp)
			if err != nil || !memory && !removed {
				continue
			}
			var stat unix.Stat_t
			key := ""
			if unix.Stat(fd, &stat) == nil {
				key = fmt.Sprint(unix.Major(stat.Dev), ":", unix.Minor(stat.Dev), " ", stat.Ino)
			}
			if key == "" || seen[key] {
				continue
			}
			seen[key] = true
			if memory {
				u.memory += stat.Blocks * 512
			} else {
				u.disk += stat.Blocks * 512
			}
		}
	}
	for _, p := range processes {
		u.disk += p.removedMappings(tmp, seen) * longest
	}
	return u
}

// removedMappings counts the files that p maps and that neither a directory nor a descriptor shows.
func (p process) removedMappings(tmp string, seen map[string]bool) int64 {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.pid))
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
