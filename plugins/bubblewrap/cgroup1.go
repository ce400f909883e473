package bubblewrap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/owner"
)

// cgroup1 makes groups in version 1's hierarchies, one directory in each.
type cgroup1 struct {
	names owner.Names
	bases map[string]cgroupDir // by controller: memory and pids always, cpu and cpuacct if they can be had
}

// newCgroup1 makes groups in bases. It fails if memory and processes can't both be limited.
func newCgroup1(bases map[string]cgroupDir, names owner.Names) (*cgroup1, error) {
	c := &cgroup1{names: names, bases: map[string]cgroupDir{}}
	for _, controller := range []string{"memory", "pids", "cpu", "cpuacct"} {
		base, ok := bases[controller]
		err := errors.New("not mounted")
		if ok {
			if err = base.writable(names); err == nil {
				c.bases[controller] = base
			}
		}
		if err != nil && (controller == "memory" || controller == "pids") {
			return nil, fmt.Errorf("cgroup v1 %s: %w", controller, err)
		}
	}
	return c, nil
}

func (c *cgroup1) listEnforced() map[string]string { return enforcedByGroups(c.bases["cpu"] != "") }

func (c *cgroup1) pollInterval() pollInterval { return cgroupInterval() }

func (c *cgroup1) create(id string, l plugins.Limits) (group, error) {
	g := &group1{dirs: map[string]cgroupDir{}}
	for controller, base := range c.bases {
		dir := cgroupDir(base.file(c.names.Of(id)))
		if err := makeDir(dir); err != nil {
			return nil, errors.Join(err, g.remove())
		}
		g.dirs[controller] = dir
	}
	if err := g.limit(l); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

func (c *cgroup1) sweep(keep func(string) bool) error {
	var errs []error
	for _, base := range c.bases {
		errs = append(errs, base.sweep(c.names, keep, func(dir cgroupDir) error {
			return drain(&group1{dirs: map[string]cgroupDir{"": dir}})
		}))
	}
	return errors.Join(errs...)
}

type group1 struct{ dirs map[string]cgroupDir }

func (g *group1) limit(l plugins.Limits) error {
	memory, pids := g.dirs["memory"], g.dirs["pids"]
	bytes := strconv.FormatInt(l.Memory, 10)
	err := cmp.Or(
		memory.write("memory.limit_in_bytes", bytes),
		memory.writeIfThere("memory.memsw.limit_in_bytes", bytes), // memory and swap together: so no swap
		memory.writeIfThere("memory.swappiness", "0"),
		// version 1 doesn't count it with the rest
		memory.writeIfThere("memory.kmem.tcp.limit_in_bytes", strconv.Itoa(socketMemory)),
		pids.write("pids.max", strconv.FormatInt(l.Pids+overhead, 10)),
	)
	if cpu, ok := g.dirs["cpu"]; ok && err == nil {
		err = cmp.Or(
			cpu.write("cpu.cfs_period_us", strconv.Itoa(cpuPeriod)),
			cpu.write("cpu.cfs_quota_us", strconv.Itoa(int(l.CPU*cpuPeriod))),
		)
	}
	return err
}

func (g *group1) add(pid int) error {
	for _, dir := range g.dirs {
		if err := dir.write("cgroup.procs", strconv.Itoa(pid)); err != nil {
			return err
		}
	}
	return nil
}

func (g *group1) procs() ([]*os.File, error) {
	return openProcs(slices.Collect(maps.Values(g.dirs))...)
}

func (g *group1) usage() (usage, error) {
	memory := g.dirs["memory"]
	// out of memory with nothing left that the kernel would kill
	stuck, err := memory.readKeyed("memory.oom_control", "under_oom")
	if err != nil {
		return usage{}, err
	}
	ended, err1 := memory.readKeyed("memory.oom_control", "oom_kill") // since Linux 4.13
	refused, err2 := g.dirs["pids"].readKeyed("pids.events", "max")
	peak, _ := memory.number("memory.max_usage_in_bytes")
	u := usage{oom: ended > 0 || stuck > 0, refused: refused, peak: peak}
	if acct, ok := g.dirs["cpuacct"]; ok {
		cpu, err3 := acct.number("cpuacct.usage")
		u.cpu, u.complete = time.Duration(cpu), cmp.Or(err1, err2, err3) == nil
	}
	return u, nil
}

func (g *group1) kill() error {
	var errs []error
	for _, dir := range g.dirs {
		errs = append(errs, dir.killAll())
	}
	return errors.Join(errs...)
}

func (g *group1) isEmpty() (bool, error) {
	for _, dir := range g.dirs {
		if pids, err := dir.pids(); err != nil || len(pids) > 0 {
			return false, err
		}
	}
	return true, nil
}

func (g *group1) remove() error {
	var errs []error
	for _, dir := range g.dirs {
		errs = append(errs, dir.remove())
	}
	return errors.Join(errs...)
}
