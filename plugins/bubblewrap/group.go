package bubblewrap

import (
	"os"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// limiter makes groups. It is one of cgroup version 1, version 2, or polling.
type limiter interface {
	// enforced says how each limit is held, as plugins.Report.Enforced.
	enforced() map[string]string
	// create makes the group of one box, empty.
	create(id string, l plugins.Limits) (group, error)
	// sweep removes every group of this instance for which keep answers false, with all that runs in
	// it.
	sweep(keep func(id string) bool) error
	// pollInterval is how often a group's usage should be looked at.
	pollInterval() pollInterval
}

// group holds one box's processes to its limits.
type group interface {
	// add puts a process into the group; what it forks afterwards is in it too.
	add(pid int) error
	// procs opens the files that add a process: one cgroup.procs for each hierarchy. It fails
	// for groups that aren't the kernel's. The caller closes them.
	procs() ([]*os.File, error)
	// usage reads the counters. They stay readable after the last process has ended.
	usage() (usage, error)
	// kill kills all processes it finds. It has to be repeated until empty.
	kill() error
	empty() (bool, error)
	// remove ends the group, which must be empty.
	remove() error
}

// pollInterval is the time between looks at a group: the least while it does something, doubled up
// to the most while it does nothing. Most boxes wait most of the time, up to a thousand of them
// frozen.
type pollInterval struct {
	least, most time.Duration
	last        usage
	wait        time.Duration
}

// next returns how long to wait after a look that found u.
func (p *pollInterval) next(u usage) time.Duration {
	if u == p.last {
		p.wait = min(2*p.wait, p.most)
	} else {
		p.wait, p.last = p.least, u
	}
	return p.wait
}

// usage is what a group knows about a box.
type usage struct {
	oom     bool          // memory ran out
	refused int64         // forks and threads that the process limit refused
	peak    int64         // bytes
	cpu     time.Duration // 0 if unknown
	// complete says that all of it but the peak is the kernel's count: then what it doesn't tell of
	// did not happen.
	complete bool
}
