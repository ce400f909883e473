package landlock

import (
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
	"github.com/computclaw/airlock/plugins/roots"
)

// boxLimits returns a box's limits. A supervisor needs more descriptors than a script, and lowers
// its own with the box's. Nothing here limits processor time.
func boxLimits(l plugins.Limits) (supervisor.Limits, error) {
	l, err := l.Bound(plugins.Limits{Memory: 16 << 20, Pids: 12, Tmp: 64 << 10, Files: 64})
	return supervisor.Limits{Memory: l.Memory, Pids: l.Pids, Tmp: l.Tmp, Files: l.Files}, err
}

// Notes say what a script can't do here but can in a namespaced box.
func Notes() []string {
	return []string{
		"Only the working directory (HOME, TMPDIR) is writable, not /tmp: use tempfile or relative paths.",
		"multiprocessing's locks, queues and pools (ThreadPool too) fail: use ThreadPoolExecutor or subprocess.",
		"Nothing can listen on a port.",
		"Pipelines in sh may fail (\"Cannot fork\"): use bash.",
		roots.Unread,
	}
}

// nameEnforced says how each limit is held. Processor time isn't: with a writable cgroup a host can
// use a better backend.
func nameEnforced() map[string]string {
	return map[string]string{"memory": "polled", "pids": "seccomp", "tmp": "polled", "files": "rlimit", "cpu": ""}
}
