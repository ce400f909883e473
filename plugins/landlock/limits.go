package landlock

import (
	"fmt"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/landlock/warden"
)

// defaults fill what a spec leaves at zero.
func defaults() plugins.Limits {
	return plugins.Limits{Memory: 512 << 20, CPU: 1, Pids: 64, Tmp: 64 << 20, Files: 256}
}

// Below these a box could not even start. A warden, which lowers its own limits with the box's, needs more descriptors than a script.
const (
	minMemory = 16 << 20
	minPids   = 12
	minFiles  = 64
	minTmp    = 64 << 10
)

// bound replaces zeroes by the defaults and refuses limits that no box can start with.
func bound(l plugins.Limits) (warden.Limits, error) {
	d := defaults()
	out := warden.Limits{
		Memory: orDefault(l.Memory, d.Memory), Pids: orDefault(l.Pids, d.Pids), Tmp: orDefault(l.Tmp, d.Tmp), Files: orDefault(l.Files, d.Files),
	}
	switch {
	case out.Memory < minMemory:
		return out, fmt.Errorf("memory limit %d is below %d bytes", out.Memory, minMemory)
	case out.Pids < minPids:
		return out, fmt.Errorf("process limit %d is below %d", out.Pids, minPids)
	case out.Tmp < minTmp:
		return out, fmt.Errorf("tmp limit %d is below %d bytes", out.Tmp, minTmp)
	case out.Files < minFiles:
		return out, fmt.Errorf("file limit %d is below %d", out.Files, minFiles)
	case l.CPU < 0 || l.CPU != l.CPU: // NaN
		return out, fmt.Errorf("cpu limit %v is below 0", l.CPU)
	}
	return out, nil
}

func orDefault(n, d int64) int64 {
	if n == 0 {
		return d
	}
	return n
}

// enforced says how each limit is held. Processor time isn't: that takes a cgroup, and who has one to write to can have a better backend.
func enforced() map[string]string {
	return map[string]string{"memory": "polled", "pids": "seccomp", "tmp": "polled", "files": "rlimit", "cpu": ""}
}
