package bubblewrap

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// parentOf returns a process's parent, or 0 if there is no such process.
func parentOf(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything, so the fields are counted from its end.
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return 0
	}
	fields := bytes.Fields(b[end+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}

// descend calls visit with pid and every process below it, and with the number of each one's threads. It sees a moving target:
// processes may come and go while it looks.
func descend(pid int, visit func(pid, threads int)) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if len(lists) == 0 {
		return // gone
	}
	visit(pid, len(lists))
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for _, field := range bytes.Fields(b) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				descend(child, visit)
			}
		}
	}
}

// resident returns the memory a process has in RAM, in bytes; pages shared with others count in full.
func resident(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// proportional returns the same with shared pages divided among those who share them. It's exact but slow, and falls back to resident.
func proportional(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return resident(pid)
	}
	for line := range bytes.Lines(b) {
		if fields := bytes.Fields(line); len(fields) >= 2 && string(fields[0]) == "Pss:" {
			kib, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			return kib << 10
		}
	}
	return resident(pid)
}

// unmapped returns the memory in memory files that the processes hold open, in bytes. It doesn't show in resident sizes unless it's mapped.
func unmapped(pids []int) int64 {
	var total int64
	seen := map[uint64]bool{}
	for _, pid := range pids {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		fds, _ := os.ReadDir(dir)
		for _, fd := range fds {
			path := filepath.Join(dir, fd.Name())
			if target, err := os.Readlink(path); err != nil || !strings.HasPrefix(target, "/memfd:") {
				continue
			}
			var stat unix.Stat_t
			if unix.Stat(path, &stat) == nil && !seen[stat.Ino] {
				seen[stat.Ino] = true
				total += stat.Blocks * 512
			}
		}
	}
	return total
}
