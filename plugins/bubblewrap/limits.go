package bubblewrap

import (
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/rlimit"
)

func least() plugins.Limits {
	return plugins.Limits{Memory: 16 << 20, CPU: 0.01, Pids: 12, Tmp: 4 << 10, Files: 32}
}

const socketMemory = 64 << 20 // bytes in TCP buffers, where they are counted apart

// overhead is bwrap's own process outside the box. It counts against the same limit.
const overhead = 1

// rlimits are the per-process limits of a box, with or without a cgroup. Where a cgroup counts
// processes, the resource limit is a little higher: the cgroup refuses first and counts that.
func rlimits(l plugins.Limits, counted bool) []rlimit.Limit {
	processes := l.Pids + overhead
	if counted {
		processes += 16
	}
	return append(rlimit.OfBox(l.Files, max(l.Tmp, l.Shm())), rlimit.Limit{Name: "nproc", Value: processes})
}
