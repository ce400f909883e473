package supervisor

import (
	"os"

	"github.com/computclaw/airlock/plugins/procfs"
)

// descendants tells the box's processes from others during one round of signals. It remembers
// confirmed ones, so a round looks twice at each process.
//
// Number and start time together identify a process: a number comes back later than the clock of
// starts ticks.
type descendants struct {
	self  int
	stat  func(pid int) (procfs.Stat, error)
	known map[int]uint64 // start by pid
}

func newDescendants() *descendants {
	return &descendants{self: os.Getpid(), stat: procfs.StatOf, known: map[int]uint64{}}
}

// has reports whether this process is an ancestor of pid.
func (d *descendants) has(pid int) bool {
	const deepest = 1 << 16
	line := map[int]uint64{} // from pid upwards
	for range deepest {
		if pid == d.self {
			d.remember(line)
			return true
		}
		stat, err := d.stat(pid)
		if err != nil || pid <= 1 {
			return false
		}
		if start, found := d.known[pid]; found && start == stat.Start {
			d.remember(line)
			return true
		}
		line[pid] = stat.Start
		pid = stat.Parent
	}
	return false
}

func (d *descendants) remember(line map[int]uint64) {
	for pid, start := range line {
		d.known[pid] = start
	}
}
