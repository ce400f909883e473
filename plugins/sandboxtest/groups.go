package sandboxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Groups describes the control groups that a neighbouring process can make for its boxes. It is
// found by trying, without the backends' code.
type Groups struct {
	Version int               // 1 or 2; 0 where none can be made that limits memory and processes
	Bases   map[string]string // by controller: where they can be made
}

// groupFiles are the limits that a new group has if its controller is there.
func groupFiles() map[int]map[string]string {
	return map[int]map[string]string{
		1: {"memory": "memory.limit_in_bytes", "pids": "pids.max", "cpu": "cpu.cfs_quota_us",
			"cpuacct": "cpuacct.usage"},
		2: {"memory": "memory.max", "pids": "pids.max", "cpu": "cpu.max"},
	}
}

// FindGroups tries what can be had here, and says it in the test's log.
func FindGroups(t *testing.T) Groups {
	t.Helper()
	g := Groups{Version: 2, Bases: unifiedBases()}
	if separateDir("memory") != "" {
		g = Groups{Version: 1, Bases: separateBases()}
	}
	if g.Bases["memory"] == "" || g.Bases["pids"] == "" {
		g = Groups{}
	}
	t.Logf("control groups that can be made here: version %d %v", g.Version, g.Bases)
	return g
}

// Enforced is what a backend reports that takes control groups or else looks for itself.
func (g Groups) Enforced() map[string]string {
	switch {
	case g.Version == 0:
		return map[string]string{"memory": "polled", "pids": "rlimit", "cpu": ""}
	case g.Bases["cpu"] == "":
		return map[string]string{"memory": "cgroup", "pids": "cgroup", "cpu": ""}
	default:
		return map[string]string{"memory": "cgroup", "pids": "cgroup", "cpu": "cgroup"}
	}
}

// separateBases tries version 1, a hierarchy for each controller.
func separateBases() map[string]string {
	bases := map[string]string{}
	for controller, file := range groupFiles()[1] {
		if dir := separateDir(controller); dir != "" && groupGetsFile(dir, file) {
			bases[controller] = dir
		}
	}
	return bases
}

// separateDir is this process's group under a controller, or the nearest visible one.
func separateDir(controller string) string {
	return ownGroup(mountOf("cgroup", "-O", controller), `\d+:(?:[^:]*,)?`+controller+`(?:,[^:]*)?`)
}

// unifiedBases tries version 2: this process's group, if it is alone there, and the one above.
func unifiedBases() map[string]string {
	own := ownGroup(mountOf("cgroup2"), "0:")
	if own == "" {
		return nil
	}
	for _, dir := range []string{own, filepath.Dir(own)} {
		bases := map[string]string{}
		for controller, file := range groupFiles()[2] {
			enabled := os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+controller), 0) == nil
			if enabled && groupGetsFile(dir, file) || dir == own && isAloneInGroup(dir) && listed(dir, controller) &&
				groupGetsFile(dir, "cgroup.procs") {
				bases[controller] = dir
			}
		}
		if bases["memory"] != "" && bases["pids"] != "" {
			return bases
		}
	}
	return nil
}

func mountOf(kind string, options ...string) string {
	out, _ := exec.Command("findmnt", append([]string{"-rnf", "-o", "TARGET", "-t", kind}, options...)...).Output()
	return strings.TrimSpace(string(out))
}

// ownGroup returns this process's group below a mount point, or the mount point. head is a pattern
// of the text before its path.
func ownGroup(point, head string) string {
	own, _ := os.ReadFile("/proc/self/cgroup")
	path := regexp.MustCompile(`(?m)^` + head + `:(.*)$`).FindSubmatch(own)
	if point == "" || path == nil {
		return ""
	}
	if dir := filepath.Join(point, string(path[1])); isDir(dir) {
		return dir
	}
	return point
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// groupGetsFile makes a group and reports whether it got a file.
func groupGetsFile(dir, file string) bool {
	group, err := os.MkdirTemp(dir, "airlock-test-groups-")
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(group, file))
	return os.Remove(group) == nil && err == nil
}

// listed reports whether a group could hand a controller down.
func listed(dir, controller string) bool {
	text, _ := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	return strings.Contains(" "+strings.TrimSpace(string(text))+" ", " "+controller+" ")
}

// isAloneInGroup reports whether this process is alone in its group. A backend may then move both
// away.
func isAloneInGroup(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	return err == nil && strings.TrimSpace(string(text)) == strconv.Itoa(os.Getpid())
}
