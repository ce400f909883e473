package docker

import (
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/probe"
)

// A rootless engine can't make devices and mounts them instead: that was taken for files of the
// host, so that none ever passed. What it can't do where the kernel's groups are not handed down to
// it is to hold limits, and for that alone it is refused then. The engine itself says what it can
// hold; each of its words has to be found in the proof.
func TestRootlessEngine(t *testing.T) {
	d := dockertest.NewRootless(t)
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	holds := heldByRootless(t, d)
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	r, err := w.Check(t.Context(), w.cfg)
	if err != nil || len(r.Controls) < 10 {
		t.Fatalf("%v: %s, %d controls", err, r.Reason, len(r.Controls))
	}
	t.Cleanup(func() { _ = w.Close() })
	var tried []string
	for _, c := range r.Controls {
		held, limit := holds[c.Name]
		switch {
		case !limit && !c.Proved && !c.NotApplicable:
			t.Errorf("%s: %s", c.Name, c.Detail)
		case !limit:
			continue
		case c.Proved != held:
			t.Errorf("the engine says %v, the proof found %+v", held, c)
		case !held && !strings.Contains(c.Fix, "rootless"):
			t.Errorf("the operator isn't told what to do: %+v", c)
		}
		tried = append(tried, c.Name)
	}
	if slices.Sort(tried); !slices.Equal(tried, []string{probe.ControlMemory, probe.ControlPids, probe.ControlCPU}) {
		t.Errorf("limits that were tried: %q", tried)
	}
	usable := holds[probe.ControlMemory] && holds[probe.ControlPids]
	if r.Ready != usable || !usable &&
		(!strings.Contains(r.Reason, "did not hold") || !strings.Contains(r.Reason, groupsFix)) {
		t.Errorf("ready %v for an engine that holds %v: %s", r.Ready, holds, r.Reason)
	}
	if held := r.Enforced["cpu"] == "cgroup"; held != holds[probe.ControlCPU] {
		t.Errorf("it says that limits are held so: %v", r.Enforced)
	}
}

// heldByRootless is which limits a rootless engine says that it holds, by control. It fails if that
// can't be: version 1 of the control groups is never handed down.
func heldByRootless(t *testing.T, d *dockertest.Engine) map[string]bool {
	t.Helper()
	answer, err := d.Client(t).Info(t.Context(), client.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	info := answer.Info
	var groups unix.Statfs_t
	if err := unix.Statfs("/sys/fs/cgroup", &groups); err != nil {
		t.Fatal(err)
	}
	t.Logf("control groups of version %s, driver %s, security %q", info.CgroupVersion, info.CgroupDriver,
		info.SecurityOptions)
	if !slices.Contains(info.SecurityOptions, "name=rootless") {
		t.Errorf("the engine is not rootless: %q", info.SecurityOptions)
	}
	unified := groups.Type == unix.CGROUP2_SUPER_MAGIC
	if (info.CgroupVersion == "2") != unified || !unified && info.CgroupDriver != "none" {
		t.Errorf("unified control groups: %v, but the engine says version %s, driver %s", unified, info.CgroupVersion,
			info.CgroupDriver)
	}
	delegated := unified && info.CgroupDriver != "none"
	return map[string]bool{
		probe.ControlMemory: delegated && info.MemoryLimit, probe.ControlPids: delegated && info.PidsLimit,
		probe.ControlCPU: delegated && info.CPUCfsQuota,
	}
}
