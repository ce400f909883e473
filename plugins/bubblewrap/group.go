package bubblewrap

import (
	"errors"
	"os"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// limiter makes groups. It is one of cgroup version 1, version 2, or polling.
type limiter interface {
	// listEnforced says how each limit is held, as plugins.Report.Enforced.
	listEnforced() map[string]string
	// create makes the group of one box, empty.
	create(id string, l plugins.Limits) (group, error)
	// sweep removes this instance's groups that keep rejects, with everything that runs in them.
	sweep(keep func(id string) bool) error
	// pollInterval is how often a group's usage should be looked at.
	pollInterval() pollInterval
}

type group interface {
	// add puts a process and its later forks into the group.
	add(pid int) error
	// procs opens one cgroup.procs file for each hierarchy; writing there adds a process. It fails
	// for groups that aren't the kernel's. The caller closes the files.
	procs() ([]*os.File, error)
	// usage reads the counters. They stay readable after the last process has ended.
	usage() (usage, error)
	// kill kills all processes it finds. Repeat it until empty.
	kill() error
	isEmpty() (bool, error)
	// remove ends the group, which must be empty.
	remove() error
}

// pollInterval is the time between looks at a group: the least while it is active, doubled up to
// the most while idle. Most boxes wait most of the time.
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

type usage struct {
	oom     bool          // memory ran out
	refused int64         // forks and threads that the process limit refused
	peak    int64         // bytes
	cpu     time.Duration // 0 if unknown
	// complete means that the kernel counted everything but the peak, so events without a count did
	// not happen.
	complete bool
}

// drainTime bounds how long killed processes may take to go away. Later ones, in an uninterruptible
// wait, make their box lost.
const drainTime = 15 * time.Second

// drain kills a group until it's empty and removes it. A fork may slip past one round.
func drain(g group) error {
	deadline := time.Now().Add(drainTime)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		empty, err := g.isEmpty()
		if err != nil {
			return err
		}
		if empty {
			// A directory can be busy for a moment after its last process is gone.
			if err = g.remove(); err == nil {
				return nil
			}
		} else if err = g.kill(); err == nil {
			err = errors.New("processes survive")
		}
		if time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}
