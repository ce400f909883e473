package landlock

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/landlock/ruleset"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// old is the backend as on a kernel whose Landlock neither keeps signals in nor looks at
// truncation, such as Debian 12's.
const old = Name + "-old"

func TestMain(m *testing.M) {
	if slices.Contains(os.Args, old) {
		sandboxtest.Main(m, old, func(
			guest []byte) plugins.Sandbox {
			return New(WithGuest(guest), WithABI(ruleset.TruncateABI-1))
		})
		return
	}
	sandboxtest.Main(m, Name, func(guest []byte) plugins.Sandbox { return New(WithGuest(guest)) })
}

func TestConformance(t *testing.T) { conform(t, Name, false) }

// TestConformanceOld needs to be root: without uids of their own, boxes must not be opened on such
// a kernel. It has the least of the suite: all but these rules is as in the other.
func TestConformanceOld(t *testing.T) { conform(t, old, true) }

func conform(t *testing.T, name string, essential bool) {
	takeNoOrphans(t)
	sandboxtest.Run(t, sandboxtest.Plugin(name, nil),
		sandboxtest.Options{Name: name, Leftovers: leftovers, Essential: essential})
}

// takeNoOrphans lets those of the suite go elsewhere: other tests use the backend in this very process,
// which then gets orphans.
func takeNoOrphans(t *testing.T) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
}

// leftovers lists the directories that an instance still has. Those of a killed host go a moment
// after it.
func leftovers(instance string) []string {
	var found []string
	for range 200 {
		if found, _ = filepath.Glob("/tmp/airlock." + instance + ".*"); len(found) == 0 {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return found
}

// TestConformanceWithSharedUID runs the suite as a user without any right, whose boxes have the
// same uid as everything else. It is the least of the suite unless all of it is asked for.
func TestConformanceWithSharedUID(t *testing.T) {
	asNobody(t, "TestConformance", nil, cmp.Or(os.Getenv(sandboxtest.SuiteVariable), "essential"))
}

// TestConformanceWithCapabilities runs it as a user who has been given what root has, and who
// therefore must see to it that boxes don't inherit it. It is the least of the suite unless all of it
// is asked for: boxes are those of root.
func TestConformanceWithCapabilities(t *testing.T) {
	asNobody(t, "TestConformance", Capabilities(), cmp.Or(os.Getenv(sandboxtest.SuiteVariable), "essential"))
}

// asNobody runs a test as a user without rights but for these capabilities, with as much of the suite
// as is said.
func asNobody(t *testing.T, test string, capabilities []uintptr, suite string) {
	if os.Geteuid() != 0 {
		t.Fatal("needs root, to become another user")
	}
	dir, err := os.MkdirTemp("", "landlock-test-") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	takeNoOrphans(t)
	binary, guest := copies(t, dir)
	cmd := exec.Command(binary, "-test.v", "-test.run", "^"+test+"$")
	cmd.Env = []string{sandboxtest.GuestVariable + "=" + guest, sandboxtest.SuiteVariable + "=" + suite,
		"PATH=/usr/bin:/bin"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534},
		AmbientCaps: capabilities}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// copies puts this test binary and a test guest into dir, readable for everybody.
func copies(t *testing.T, dir string) (binary, guest string) {
	t.Helper()
	binary, guest = filepath.Join(dir, "landlock.test"), filepath.Join(dir, "guest")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{binary: self, guest: sandboxtest.Guest(t)} {
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return binary, guest
}
