package docker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// nearby are the counters of a container whose engine runs on this very host, where they can be read without asking the engine: it takes up to half a
// second to answer, and that would be between a script's end and its result.
type nearby struct {
	memory, cpu, quota, pids string // directories of control groups
	unified                  bool
}

// findNearby returns nil if the process isn't the container's in our view: the engine is elsewhere, or we are in a container ourselves.
func findNearby(pid int, container string) *nearby {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cgroup"))
	if err != nil || container == "" {
		return nil
	}
	const root = "/sys/fs/cgroup"
	n := &nearby{}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 || !strings.Contains(filepath.Base(fields[2]), container) {
			continue
		}
		if fields[1] == "" && n.memory == "" {
			dir := filepath.Join(root, fields[2])
			*n = nearby{dir, dir, dir, dir, true}
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			place := map[string]*string{"memory": &n.memory, "cpuacct": &n.cpu, "cpu": &n.quota, "pids": &n.pids}[controller]
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

// usage reads the counters; false once they are gone.
func (n *nearby) usage() (u usage, ok bool) {
	var cpu, ended int64
	var memory, processor bool
	if n.unified {
		u.peak, memory = number(n.memory, "memory.peak")
		if !memory { // before Linux 5.19
			u.peak, memory = number(n.memory, "memory.current")
		}
		cpu, processor = field(n.cpu, "cpu.stat", "usage_usec")
		u.cpu = time.Duration(cpu) * time.Microsecond
		ended, _ = field(n.memory, "memory.events", "oom_kill")
	} else {
		u.peak, memory = number(n.memory, "memory.max_usage_in_bytes")
		cpu, processor = number(n.cpu, "cpuacct.usage")
		u.cpu = time.Duration(cpu)
		ended, _ = field(n.memory, "memory.oom_control", "oom_kill")
	}
	refused, _ := field(n.pids, "pids.events", "max")
	u.full, u.oom = refused > 0, ended > 0
	held, _ := field(n.quota, "cpu.stat", "nr_throttled")
	u.held = held > 0
	return u, memory && processor
}

func number(dir, file string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// field reads one of a file's lines "name number".
func field(dir, file, name string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
