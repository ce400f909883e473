package sandboxtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/procfs"
	"github.com/computclaw/airlock/plugins/template"
)

// Options adapt the suite to a backend.
type Options struct {
	// Name is what Main serves.
	Name string
	// Leftovers lists an instance's remains on the host that the suite can't see by itself, such as
	// cgroups or containers. Nil if there are none of that kind.
	Leftovers func(instance string) []string
	// Templates says that a template may stay: its first step, its interpreter and its boxes'
	// server (package template).
	Templates bool
	// UncountedForks says that the backend holds the limit without counting refused forks. A box
	// that hammers at it lives until it's killed.
	UncountedForks bool
	// Measures says that the backend reports the usage of open boxes with control groups. Otherwise
	// it must refuse. See plugins.Meter.
	Measures bool
	// Essential leaves out limits' verdicts and hostile scripts. The rest is the minimum for a
	// backend, not tier full. Cases that open many boxes open fewer.
	Essential bool
	// Skip names cases that another guest than the test guest can't take part in.
	Skip []string
	// Enforced is how limits have to be held, of those that are named: see plugins.Report.
	Enforced map[string]string
}

// SuiteVariable names an environment variable with the extent of the suite. "all" opens as many
// boxes as the longest run, "essential" is Options.Essential.
const SuiteVariable = "SANDBOX_SUITE"

// pider is a Sandbox in a process of its own.
type pider interface{ PID() int }

// Run runs the suite on newSandbox's result. That must be a client of Main's plugin, so it can be
// killed.
func Run(t *testing.T, newSandbox func(t *testing.T) (plugins.Sandbox, plugins.Config), opts Options) {
	suite := os.Getenv(SuiteVariable)
	b := &bench{opts: opts, all: suite == "all"}
	b.opts.Essential = opts.Essential || suite == "essential"
	b.sandbox, b.cfg = newSandbox(t)
	before := mounts(t)
	report, err := b.sandbox.Check(t.Context(), b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.report = report
	checkReport(t, report)
	for limit, want := range opts.Enforced {
		if got := report.Enforced[limit]; got != want {
			t.Errorf("limit on %s is held by %q, and by %q on such a host", limit, got, want)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	for _, c := range cases() {
		if b.opts.Essential && !c.essential || slices.Contains(b.opts.Skip, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.test(t, b)
			b.nothingLeft(t)
		})
	}
	for _, m := range mounts(t) {
		if !slices.Contains(before, m) {
			t.Errorf("mount left: %s", m)
		}
	}
}

// processorTime is the one control that a backend may openly lack. Without it boxes are slower, not
// less safe.
const processorTime = "processor time is limited"

// checkReport asserts that a backend proved what it must, and says how limits are held.
func checkReport(t *testing.T, r plugins.Report) {
	if !r.Ready || r.Reason != "" {
		t.Errorf("not ready: %s", r.Reason)
	}
	if r.Tier != plugins.TierFull && r.Tier != plugins.TierRestricted {
		t.Errorf("tier %q", r.Tier)
	}
	if r.Name == "" || r.Version == "" || r.Runtime == "" || len(r.Controls) == 0 {
		t.Errorf("report is incomplete: %+v", r)
	}
	for _, limit := range []string{"memory", "pids", "tmp", "files"} {
		if r.Enforced[limit] == "" {
			t.Errorf("limit on %s is not held", limit)
		}
	}
	for _, c := range r.Controls {
		t.Logf("control %-40s proved=%v  %s", c.Name, c.Proved, c.Detail)
		if !c.Proved && !c.NotApplicable && (c.Name != processorTime || r.Enforced["cpu"] != "") {
			t.Errorf("it counts as ready, but control %q does not hold", c.Name)
		}
	}
}

// nothingLeft asserts after-conditions that hold between any two boxes.
func (b *bench) nothingLeft(t *testing.T) {
	t.Helper()
	if b.opts.Leftovers != nil {
		eventually(t, 0, func() []string { return b.opts.Leftovers(b.cfg.Instance) })
	}
	if p, ok := b.sandbox.(pider); ok {
		eventually(t, patience, func() []string { return b.children(p.PID()) })
	}
	eventually(t, 0, func() []string { return filesIn(b.cfg.StateDir) })
}

// children lists the child processes of pid, and a template's boxes in its place.
func (b *bench) children(pid int) []string {
	var found []string
	for _, child := range procfs.Children(pid) {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		if b.opts.Templates && strings.HasSuffix(string(cmdline), "\x00"+template.Mode+"\x00") {
			for _, interpreter := range procfs.Children(child) {
				found = append(found, b.children(interpreter)...)
			}
			continue
		}
		if b.opts.Templates && strings.HasSuffix(string(cmdline), "\x00"+template.Guests+"\x00") {
			continue
		}
		found = append(found, fmt.Sprintf("child %d %s", child, strings.ReplaceAll(string(cmdline), "\x00", " ")))
	}
	return found
}

func filesIn(dir string) []string {
	var found []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		found = append(found, filepath.Join(dir, e.Name()))
	}
	return found
}

func mounts(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

func (b *bench) descriptors(t *testing.T) int {
	t.Helper()
	p, ok := b.sandbox.(pider)
	if !ok {
		t.Fatal("the suite needs a sandbox in a process of its own")
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
