package bubblewrap

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memusage"
	"github.com/computclaw/airlock/plugins/procfs"
)

// polled is the limiter of hosts without a writable cgroup. It measures a box's processes and file
// systems; the caller that reads the usage kills. A resource limit bounds processes, which the
// kernel enforces because boxes never run as root.
type polled struct{}

func newPolled() (polled, error) {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		return polled{}, errors.New("this kernel doesn't list child processes in /proc, so memory can't be watched")
	}
	return polled{}, nil
}

func (polled) listEnforced() map[string]string {
	return map[string]string{"memory": "polled", "pids": "rlimit"}
}

// pollInterval never slows down: nothing else holds the limit, and usage doesn't tell whether
// processes run.
func (polled) pollInterval() pollInterval {
	return pollInterval{least: 25 * time.Millisecond, most: 25 * time.Millisecond}
}

func (polled) create(_ string, l plugins.Limits) (group, error) { return &tree{limits: l}, nil }

// sweep has nothing to remove. Without a cgroup only processes could remain, and those die with the
// plugin.
func (polled) sweep(func(string) bool) error { return nil }

// tree is one box's processes, found by descent from the outermost.
type tree struct {
	limits plugins.Limits
	root   int
	peak   int64
	full   int64 // 1 once the process limit was hit
}

func (t *tree) add(pid int) error {
	t.root = pid
	return nil
}

func (t *tree) procs() ([]*os.File, error) { return nil, errors.New("memory is watched from outside") }

// nearly is how far below the process limit a tree counts as having hit it. Refused forks briefly
// count as processes.
const nearly = 4

const inodeSize = 1 << 10

func (t *tree) usage() (usage, error) {
	var processes []procfs.Process
	if t.root != 0 {
		processes = procfs.Tree(t.root)
	}
	var memory, threads int64
	for _, p := range processes {
		memory += memusage.OfThreads(p.Threads).Total()
		threads += int64(len(p.Threads))
	}
	files := t.files(processes)
	memory += files
	if memory > t.limits.Memory { // or it only looks so
		memory = files
		for _, p := range processes {
			if !isOurs(p.PID) {
				memory += memusage.OfThreads(p.Threads).Share()
			}
		}
	}
	t.peak = max(t.peak, memory)
	if threads+nearly >= t.limits.Pids+overhead {
		t.full = 1 // most likely; what was refused can't be seen
	}
	return usage{oom: t.peak > t.limits.Memory, refused: t.full, peak: t.peak}, nil
}

// files returns the size of the box's writable file systems. Mapped files count twice: they can't
// be told from other shared memory. The second process is PID 1 of the box.
func (t *tree) files(processes []procfs.Process) int64 {
	if len(processes) < 2 {
		return 0
	}
	var total int64
	for _, dir := range []string{"tmp", "dev/shm"} {
		var fs unix.Statfs_t
		its := fmt.Sprintf("/proc/%d/root/%s", processes[1].PID, dir)
		if unix.Statfs(its, &fs) != nil || fs.Type != unix.TMPFS_MAGIC || sameFile(its, "/"+dir) {
			continue // not mounted yet: it sees nothing there, or what the host has there
		}
		total += int64(fs.Blocks-fs.Bfree)*fs.Bsize + int64(fs.Files-fs.Ffree)*inodeSize
	}
	return total
}

// isOurs reports whether a process still runs the plugin's program. Between fork and exec it seems
// to use all of the plugin's memory.
func isOurs(pid int) bool { return sameFile(fmt.Sprintf("/proc/%d/exe", pid), "/proc/self/exe") }

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// kill does nothing: the end of the first step ends the whole box.
func (t *tree) kill() error { return nil }

func (t *tree) isEmpty() (bool, error) { return true, nil }

func (t *tree) remove() error { return nil }
