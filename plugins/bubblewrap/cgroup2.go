package bubblewrap

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/owner"
)

// cgroupInterval returns how often a running box's counters are read. The kernel itself enforces
// the limits.
func cgroupInterval() pollInterval {
	return pollInterval{least: 100 * time.Millisecond, most: 2 * time.Second}
}

const cpuPeriod = 100_000 // µs

// cgroup2 makes groups in the unified hierarchy.
type cgroup2 struct {
	names owner.Names
	base  cgroupDir
	cpu   bool
}

// newCgroup2 makes groups in base and enables their controllers. It fails if memory and processes
// can't both be limited.
func newCgroup2(base cgroupDir, names owner.Names) (*cgroup2, error) {
	err := cmp.Or(base.writable(names), enable(base, "+memory +pids"))
	if err != nil {
		return nil, fmt.Errorf("cgroup v2 %s: %w", base, err)
	}
	return &cgroup2{names: names, base: base, cpu: enable(base, "+cpu") == nil}, nil
}

func enable(d cgroupDir, controllers string) error {
	return d.write("cgroup.subtree_control", controllers)
}

func (c *cgroup2) listEnforced() map[string]string { return enforcedByGroups(c.cpu) }

func enforcedByGroups(cpu bool) map[string]string {
	m := map[string]string{"memory": "cgroup", "pids": "cgroup"}
	if cpu {
		m["cpu"] = "cgroup"
	}
	return m
}

func (c *cgroup2) pollInterval() pollInterval { return cgroupInterval() }

func (c *cgroup2) create(id string, l plugins.Limits) (group, error) {
	g := group2{cgroupDir(c.base.file(c.names.Of(id)))}
	if err := makeDir(g.dir); err != nil {
		return nil, err
	}
	if err := g.limit(l, c.cpu); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

func (c *cgroup2) sweep(keep func(string) bool) error {
	return c.base.sweep(c.names, keep, func(dir cgroupDir) error { return drain(group2{dir}) })
}

type group2 struct{ dir cgroupDir }

func (g group2) limit(l plugins.Limits, cpu bool) error {
	err := cmp.Or(
		g.dir.write("memory.max", strconv.FormatInt(l.Memory, 10)),
		g.dir.writeIfThere("memory.swap.max", "0"),
		g.dir.writeIfThere("memory.oom.group", "1"),
		g.dir.write("pids.max", strconv.FormatInt(l.Pids+overhead, 10)),
	)
	if cpu && err == nil {
		err = g.dir.write("cpu.max", fmt.Sprintf("%d %d", int(l.CPU*cpuPeriod), cpuPeriod))
	}
	return err
}

func (g group2) add(pid int) error { return g.dir.write("cgroup.procs", strconv.Itoa(pid)) }

func (g group2) procs() ([]*os.File, error) { return openProcs(g.dir) }

func (g group2) usage() (usage, error) {
	ended, err1 := g.dir.readKeyed("memory.events", "oom_kill")
	// also if the kernel found nothing it may kill, such as a process that made itself immune
	short, err2 := g.dir.readKeyed("memory.events", "oom")
	refused, err3 := g.dir.readKeyed("pids.events", "max")
	cpu, err4 := g.dir.readKeyed("cpu.stat", "usage_usec")
	peak, _ := g.dir.number("memory.peak") // since Linux 5.19
	return usage{
		oom: ended > 0 || short > 0, refused: refused, peak: peak, cpu: time.Duration(cpu) * time.Microsecond,
		complete: cmp.Or(err1, err2, err3, err4) == nil,
	}, nil
}

// kill uses the kernel's atomic kill (Linux 5.14) where it exists.
func (g group2) kill() error {
	if g.dir.write("cgroup.kill", "1") == nil {
		return nil
	}
	return g.dir.killAll()
}

func (g group2) isEmpty() (bool, error) {
	pids, err := g.dir.pids()
	return len(pids) == 0, err
}

func (g group2) remove() error { return g.dir.remove() }
