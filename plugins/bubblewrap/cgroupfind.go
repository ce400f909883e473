package bubblewrap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/computclaw/airlock/plugins/owner"
	"github.com/computclaw/airlock/plugins/procfs"
)

// findLimiter picks how limits are held: by a writable cgroup, else by polling. The second result
// says why there is no cgroup; it's empty if there is one.
func findLimiter(s settings, names owner.Names) (limiter, string, error) {
	if s.limits != limitsPolled {
		l, err := findCgroup(s.cgroup, names)
		if err == nil {
			return l, "", nil
		}
		if s.limits == limitsCgroup || s.cgroup != "" {
			return nil, "", fmt.Errorf("no cgroup to hold limits with: %w", err)
		}
		p, perr := newPolled()
		return p, err.Error(), perr
	}
	p, err := newPolled()
	return p, "setting limits=polled", err
}

func findCgroup(dir string, names owner.Names) (limiter, error) {
	if dir != "" {
		return newCgroup2(cgroupDir(dir), names)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	bases, unified := cgroupBases(mounts, own)
	// A hybrid host has its controllers in version 1; its unified tree is bare.
	if bases["memory"] != "" {
		return newCgroup1(bases, names)
	}
	if unified == "" {
		return nil, errors.New("no cgroup file system is mounted")
	}
	return delegate(unified, names)
}

// cgroupBases finds the plugin's own cgroups: by controller for version 1, and the one of version
// 2.
func cgroupBases(mountinfo, own []byte) (v1 map[string]cgroupDir, unified cgroupDir) {
	paths := ownCgroups(own)
	v1 = map[string]cgroupDir{}
	lines := bufio.NewScanner(bytes.NewReader(mountinfo))
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		root, point, kind, options := left[3], left[4], right[0], strings.Split(right[2], ",")
		switch kind {
		case "cgroup2":
			unified = ownDir(root, point, paths[""])
		case "cgroup":
			for controller, path := range paths {
				if controller != "" && slices.Contains(options, controller) {
					v1[controller] = ownDir(root, point, path)
				}
			}
		}
	}
	return v1, unified
}

// ownCgroups reads /proc/self/cgroup into paths by controller; version 2 has the empty name.
func ownCgroups(own []byte) map[string]string {
	paths := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(own))
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			paths[controller] = parts[2]
		}
	}
	return paths
}

// ownDir finds a cgroup's path below a mount point that shows the hierarchy from root down. A
// container may not mount that path; then it returns the mount point.
func ownDir(root, point, path string) cgroupDir {
	relative, err := filepath.Rel(root, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, "../") {
		return cgroupDir(point)
	}
	dir := filepath.Join(point, relative)
	if _, err := os.Stat(dir); err != nil {
		return cgroupDir(point)
	}
	return cgroupDir(dir)
}

// delegate makes room for boxes in version 2's tree. There a cgroup can't have both processes and
// limited children. Airlock's own processes move into a child; in a delegated cgroup (systemd's
// DelegateSubgroup) the boxes become its neighbours.
func delegate(own cgroupDir, names owner.Names) (limiter, error) {
	if filepath.Base(string(own)) == asideName { // since an earlier Check
		own = cgroupDir(filepath.Dir(string(own)))
	}
	l, err := newCgroup2(own, names)
	if err == nil {
		return l, nil
	}
	if moveErr := moveAside(own); moveErr == nil {
		if l, err2 := newCgroup2(own, names); err2 == nil {
			return l, nil
		}
	}
	if l, err2 := newCgroup2(cgroupDir(filepath.Dir(string(own))), names); err2 == nil {
		return l, nil
	}
	return nil, fmt.Errorf("%w (under systemd, add Delegate=yes to the unit; in a container, mount cgroups "+
		"writable)", err)
}

// asideName is the child cgroup that Airlock's own processes move into.
const asideName = "airlock-server"

// moveAside moves Airlock's own processes into a child cgroup. It changes nothing if the cgroup
// holds a foreign process.
func moveAside(own cgroupDir) error {
	pids, err := own.pids()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		stat, err := procfs.StatOf(pid)
		if pid != os.Getpid() && pid != os.Getppid() && (err != nil || stat.Parent != os.Getppid()) {
			return fmt.Errorf("process %d in %s is not Airlock's", pid, own)
		}
	}
	aside := cgroupDir(own.file(asideName))
	if err := makeDir(aside); err != nil {
		return err
	}
	for _, pid := range pids {
		if err := aside.write("cgroup.procs", fmt.Sprint(pid)); err != nil {
			return err
		}
	}
	return nil
}
