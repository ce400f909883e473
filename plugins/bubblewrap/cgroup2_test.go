package bubblewrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/owner"
	"github.com/google/go-cmp/cmp"
)

func fakeCgroup(t *testing.T, dir string, files ...string) cgroupDir {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return cgroupDir(dir)
}

func contents(t *testing.T, d cgroupDir) map[string]string {
	t.Helper()
	got := map[string]string{}
	entries, err := os.ReadDir(string(d))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if b, err := os.ReadFile(d.file(e.Name())); err == nil && len(b) > 0 {
			got[e.Name()] = string(b)
		}
	}
	return got
}

func TestGroup2Limits(t *testing.T) {
	d := fakeCgroup(t, t.TempDir(), "memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max",
		"cgroup.procs")
	g := group2{d}
	if err := g.limit(plugins.Limits{Memory: 512 << 20, CPU: 1.5, Pids: 64}, true); err != nil {
		t.Fatal(err)
	}
	if err := g.add(42); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"memory.max": "536870912", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "65",
		"cpu.max":      "150000 100000",
		"cgroup.procs": "42",
	}
	if diff := cmp.Diff(want, contents(t, d)); diff != "" {
		t.Error(diff)
	}
}

func TestGroup2NeedsItsLimits(t *testing.T) {
	d := fakeCgroup(t, t.TempDir(), "memory.max", "cgroup.procs")
	if err := (group2{d}).limit(plugins.DefaultLimits(), false); err == nil {
		t.Error("no error without pids.max")
	}
}

func TestGroup2Usage(t *testing.T) {
	tests := []struct {
		name   string
		events string
		want   usage
	}{
		{"quiet", "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n",
			usage{refused: 3, peak: 1234, cpu: 5 * time.Second, complete: true}},
		{"killed", "max 7\noom 1\noom_kill 2\n",
			usage{oom: true, refused: 3, peak: 1234, cpu: 5 * time.Second, complete: true}},
		{"nothing killable", "max 7\noom 5\noom_kill 0\n",
			usage{oom: true, refused: 3, peak: 1234, cpu: 5 * time.Second, complete: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := cgroupDir(t.TempDir())
			for name, text := range map[string]string{
				"memory.events": tt.events, "pids.events": "max 3\n", "memory.peak": "1234\n",
				"cpu.stat": "usage_usec 5000000\nuser_usec 1\n",
			} {
				if err := os.WriteFile(d.file(name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := group2{d}.usage()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(usage{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGroup2OnTheKernel tests processes, kills and removal in a real cgroup2 hierarchy. Hybrid
// hosts mount one without controllers. An ordinary user without a writable one tests only the
// files; root and CI fail.
func TestGroup2OnTheKernel(t *testing.T) {
	_, unified := ownBases(t)
	if unified == "" || unified.writable(owner.Names{Instance: "test", Owner: "1-2-3"}) != nil {
		if os.Getenv("CI") != "" || os.Getuid() == 0 {
			t.Fatal("there is no cgroup2 hierarchy to write to, so this was not tested")
		}
		t.Log("this user can't write to a cgroup2 hierarchy: only the files were tested")
		return
	}
	dir := cgroupDir(unified.file("airlock-test-group2"))
	if err := makeDir(dir); err != nil {
		t.Fatal(err)
	}
	g := group2{dir}
	cmd := exec.Command("/bin/sh", "-c", "sleep 1000 & sleep 1000 & wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	if err := g.add(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if empty, err := g.isEmpty(); err != nil || empty {
		t.Fatalf("empty() = %v, %v with a process in it", empty, err)
	}
	if err := drain(g); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(dir)); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func ownBases(t *testing.T) (v1 map[string]cgroupDir, unified cgroupDir) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	return cgroupBases(mounts, own)
}

func TestNewCgroup2(t *testing.T) {
	base := fakeCgroup(t, t.TempDir(), "cgroup.subtree_control")
	c, err := newCgroup2(base, owner.Names{Instance: "x", Owner: "1-2-3"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"memory": "cgroup", "pids": "cgroup", "cpu": "cgroup"},
		c.listEnforced()); diff != "" {
		t.Error(diff)
	}
	if _, err := newCgroup2(cgroupDir(t.TempDir()), owner.Names{Instance: "x", Owner: "1-2-3"}); err == nil {
		t.Error("no error where controllers can't be handed down")
	}
}

func TestCgroupBases(t *testing.T) {
	const hybrid = `31 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw
32 31 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
33 31 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
34 31 0:29 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
35 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
`
	v1, unified := cgroupBases([]byte(hybrid),
		[]byte("8:pids:/docker/abc\n4:memory:/\n2:cpu,cpuacct:/\n1:name=systemd:/\n0::/\n"))
	want := map[string]cgroupDir{
		"memory": "/sys/fs/cgroup/memory", "pids": "/sys/fs/cgroup/pids",
		"cpu": "/sys/fs/cgroup/cpu,cpuacct", "cpuacct": "/sys/fs/cgroup/cpu,cpuacct",
	}
	if diff := cmp.Diff(want, v1); diff != "" {
		t.Error(diff)
	}
	if unified != "/sys/fs/cgroup/unified" {
		t.Errorf("unified at %q", unified)
	}
	// In a container the own path may not be visible.
	_, unified = cgroupBases([]byte("1 2 0:3 /../outside /sys/fs/cgroup rw - cgroup2 cgroup rw\n"), []byte("0::/\n"))
	if unified != "/sys/fs/cgroup" {
		t.Errorf("unified at %q", unified)
	}
}

func TestSweepSparesLiveBoxes(t *testing.T) {
	names, err := owner.NamesOf("a")
	if err != nil {
		t.Fatal(err)
	}
	// A reused process number with another start time is another process.
	dead := owner.Names{Instance: "a", Owner: names.Owner[:strings.LastIndexByte(string(names.Owner), '-')] + "-1"}
	unknown := owner.ID("1-2-3") // of another pid namespace
	c := &cgroup2{names: names, base: cgroupDir(t.TempDir())}
	keep := []string{
		names.Of("live"), owner.Names{Instance: "a-b", Owner: names.Owner}.Of("other"),
		owner.Names{Instance: "b", Owner: unknown}.Of("other"), "airlock.b.no-owner",
		"airlock.a-b.no-owner", "system.slice",
	}
	for _, name := range append([]string{
		names.Of("old"), dead.Of("live"), owner.Names{Instance: "a", Owner: unknown}.Of("live"),
		owner.Names{Instance: "b", Owner: dead.Owner}.Of("live"),
	}, keep...) {
		if err := os.Mkdir(c.base.file(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.sweep(func(id string) bool { return id == "live" }); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(string(c.base))
	for _, e := range entries {
		left = append(left, e.Name())
	}
	slices.Sort(keep)
	if diff := cmp.Diff(keep, left); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
