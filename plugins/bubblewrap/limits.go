package bubblewrap

import (
	"fmt"

	"github.com/computclaw/airlock/plugins"
)

// defaults fill what a spec leaves at zero.
func defaults() plugins.Limits {
	return plugins.Limits{Memory: 512 << 20, CPU: 1, Pids: 64, Tmp: 64 << 20, Files: 256}
}

// Bounds of what makes sense. Below the minimum the set-up itself could not run, so nobody would learn what was wrong.
const (
	minMemory = 16 << 20
	minPids   = 12
	minFiles  = 16
	minTmp    = 4 << 10
	minCPU    = 0.01
)

const shmSize = 4 << 20 // bytes in /dev/shm

const socketMemory = 64 << 20 // bytes in TCP buffers, where they are counted apart

// bound replaces zeroes by the defaults and refuses limits that no box can start with.
func bound(l plugins.Limits) (plugins.Limits, error) {
	d := defaults()
	if l.Memory == 0 {
		l.Memory = d.Memory
	}
	if l.CPU == 0 {
		l.CPU = d.CPU
	}
	if l.Pids == 0 {
		l.Pids = d.Pids
	}
	if l.Tmp == 0 {
		l.Tmp = d.Tmp
	}
	if l.Files == 0 {
		l.Files = d.Files
	}
	switch {
	case l.Memory < minMemory:
		return l, fmt.Errorf("memory limit %d is below %d bytes", l.Memory, minMemory)
	case !(l.CPU >= minCPU): // NaN too
		return l, fmt.Errorf("cpu limit %v is below %v cores", l.CPU, minCPU)
	case l.Pids < minPids:
		return l, fmt.Errorf("process limit %d is below %d", l.Pids, minPids)
	case l.Tmp < minTmp:
		return l, fmt.Errorf("tmp limit %d is below %d bytes", l.Tmp, minTmp)
	case l.Files < minFiles:
		return l, fmt.Errorf("file limit %d is below %d", l.Files, minFiles)
	}
	return l, nil
}

// overhead is bwrap's own process outside the box, which counts against the same limit.
const overhead = 1

// rlimits are the stage's flags for per-process limits. They hold everywhere, also under a cgroup. The signal and queue budgets
// matter to others: they are charged to the uid, which all boxes share unless Airlock is root. Where a cgroup counts processes the resource limit is only its
// backstop, since what it refuses isn't counted.
func rlimits(l plugins.Limits, counted bool) []string {
	processes := l.Pids + overhead
	if counted {
		processes += 16
	}
	var flags []string
	for _, r := range []struct {
		name  string
		value int64
	}{
		{"nofile", l.Files},
		{"nproc", processes},
		{"fsize", max(l.Tmp, shmSize)},
		{"core", 0},
		{"memlock", 0},
		{"msgqueue", 0},
		{"sigpending", 256},
	} {
		flags = append(flags, "--rlimit", fmt.Sprintf("%s=%d", r.name, r.value))
	}
	return flags
}
