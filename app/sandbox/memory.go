package sandbox

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const (
	idleBoxMemory  = 32 << 20 // generously
	poolShare      = 8        // ready boxes may take this part of the memory that is available at start
	waitersShare   = 2        // and boxes that wait for answers this one
	maxWaiters     = 1000     // where there is memory for more: as many as were measured
	unknownWaiters = 100      // where nothing tells how much memory there is
)

// DefaultPool returns the default number of ready boxes: one per worker if memory allows. root is
// the file system's.
func DefaultPool(workers int, root fs.FS) int {
	return min(workers, boxesThatFit(root, poolShare, workers))
}

// DefaultWaiters returns how many executions may wait for answers by default, given memory. root is
// the file system's.
func DefaultWaiters(root fs.FS) int {
	return min(maxWaiters, boxesThatFit(root, waitersShare, unknownWaiters))
}

// boxesThatFit returns how many boxes fit into the share of memory, or unknown.
func boxesThatFit(root fs.FS, share int64, unknown int) int {
	available := AvailableMemory(root)
	if available < 0 {
		return unknown
	}
	return max(int(available/share/idleBoxMemory), 1)
}

// AvailableMemory returns how many bytes this process can still take. It considers the machine and
// control groups; -1 means unknown. root is the file system's.
func AvailableMemory(root fs.FS) int64 {
	left := int64(-1)
	for _, n := range append(groupsMemory(root), machineMemory(root)) {
		if n >= 0 && (left < 0 || n < left) {
			left = n
		}
	}
	return left
}

// machineMemory reads /proc/meminfo; -1 if it doesn't say.
func machineMemory(root fs.FS) int64 {
	text, _ := fs.ReadFile(root, "proc/meminfo")
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil || kib < 0 {
				return -1
			}
			return kib << 10
		}
	}
	return -1
}

// groupsMemory returns what each limit of our control groups and their parents leaves. It reads
// /proc/self/cgroup, versions 1 and 2. A container's path may not exist in it; its own group is
// then the root.
func groupsMemory(root fs.FS) (left []int64) {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		mount, limit, usage := "sys/fs/cgroup", "memory.max", "memory.current"
		switch {
		case controllers == "memory":
			mount, limit, usage = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		case controllers != "":
			continue
		}
		for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
			if most, ok := readBytes(root, path.Join(mount, dir, limit)); ok {
				used, _ := readBytes(root, path.Join(mount, dir, usage))
				left = append(left, max(most-used, 0))
			}
			if dir == "/" {
				break
			}
		}
	}
	return left
}

// readBytes reads a number of bytes; ok is false without one or without a limit.
func readBytes(root fs.FS, name string) (n int64, ok bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n >= 0
}
