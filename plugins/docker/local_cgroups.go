package docker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/plugins/cgroup"
)

// localCgroups are a container's cgroups on this host. Asking the engine takes up to half a second,
// between a script's end and its result.
type localCgroups struct {
	memory, cpu, quota, pids string // directories of control groups
	unified                  bool
}

// findLocalCgroups returns nil if the process isn't the container's in our view. Then the engine is
// elsewhere, or Airlock is in a container itself.
func findLocalCgroups(pid int, container string) *localCgroups {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cgroup"))
	if err != nil || container == "" {
		return nil
	}
	const root = "/sys/fs/cgroup"
	n := &localCgroups{}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 || !strings.Contains(filepath.Base(fields[2]), container) {
			continue
		}
		if fields[1] == "" && n.memory == "" {
			dir := filepath.Join(root, fields[2])
			*n = localCgroups{dir, dir, dir, dir, true}
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			place := map[string]*string{"memory": &n.memory, "cpuacct": &n.cpu, "cpu": &n.quota,
				"pids": &n.pids}[controller]
			if place != nil {
				n.unified, *place = false, filepath.Join(root, controller, fields[2])
			}
		}
	}
	if _, ok := n.usage(); !ok {
		return nil
	}
	return n
}

// usage reads the counters. ok is false unless all were there: after the container's end a missing
// one must not pass for a limit that was never hit.
func (n *localCgroups) usage() (u usage, ok bool) {
	var r reader
	if n.unified {
		var err error
		if u.peak, err = cgroup.Number(n.memory, "memory.peak"); err != nil { // before Linux 5.19
			u.peak = r.number(n.memory, "memory.current")
		}
		u.cpu = time.Duration(r.field(n.cpu, "cpu.stat", "usage_usec")) * time.Microsecond
		// oom: also when the kernel found nothing that it may end.
		u.oom = r.field(n.memory, "memory.events", "oom_kill") > 0 || r.field(n.memory, "memory.events", "oom") > 0
	} else {
		u.peak = r.number(n.memory, "memory.max_usage_in_bytes")
		u.cpu = time.Duration(r.number(n.cpu, "cpuacct.usage"))
		u.oom = r.field(n.memory, "memory.oom_control", "oom_kill") > 0 ||
			r.field(n.memory, "memory.oom_control", "under_oom") > 0
	}
	u.full = r.field(n.pids, "pids.events", "max") > 0
	held, _ := cgroup.ReadKeyed(n.quota, "cpu.stat", "nr_throttled") // it slows a box down, and refuses it nothing
	u.held = held > 0
	return u, !r.missed
}

type reader struct{ missed bool }

func (r *reader) number(dir, file string) int64 {
	n, err := cgroup.Number(dir, file)
	r.missed = r.missed || dir == "" || err != nil
	return n
}

func (r *reader) field(dir, file, name string) int64 {
	n, err := cgroup.ReadKeyed(dir, file, name)
	r.missed = r.missed || dir == "" || err != nil
	return n
}
