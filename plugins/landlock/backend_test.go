package landlock

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/landlock/ruleset"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// old is the backend on a kernel like Debian 12's, whose Landlock controls neither signals nor
// truncation.
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

// TestConformanceOld runs the shortest suite on such a kernel, as root. Without uids of their own,
// no boxes may open there.
func TestConformanceOld(t *testing.T) { conform(t, old, true) }

func conform(t *testing.T, name string, essential bool) {
	takeNoOrphans(t)
	sandboxtest.Run(t, sandboxtest.Plugin(name, nil),
		sandboxtest.Options{Name: name, Leftovers: leftovers, Essential: essential})
}

// takeNoOrphans keeps this process from adopting the suite's orphans. Other tests use the backend
// in this process.
func takeNoOrphans(t *testing.T) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
}

// leftovers lists an instance's remaining directories. Those of a killed host go a moment later.
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

// TestConformanceWithSharedUID runs the suite as a user without rights, whose boxes share its uid.
// It is the shortest suite unless all is asked for.
func TestConformanceWithSharedUID(t *testing.T) {
	asNobody(t, "TestConformance", nil, cmp.Or(os.Getenv(sandboxtest.SuiteVariable), "essential"))
}

// TestConformanceWithCapabilities runs the suite as a user with root's capabilities, which boxes
// must not inherit. It is the shortest suite unless all is asked for.
func TestConformanceWithCapabilities(t *testing.T) {
	asNobody(t, "TestConformance", Capabilities(), cmp.Or(os.Getenv(sandboxtest.SuiteVariable), "essential"))
}

// asNobody runs a test as a user with only these capabilities, and the given suite.
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

type engine struct{ *dockertest.Engine }

// stock is how hosting platforms run a container: everything at its default, and less than that.
func stock(extra ...string) []string {
	return append([]string{"--network", "none", "--security-opt", "no-new-privileges"}, extra...)
}

// TestInContainer runs the backend in containers without extra rights. It is the shortest suite
// unless all is asked for.
func TestInContainer(t *testing.T) {
	e := startEngine(t)
	nobody := stock("--user", "65534", "--cap-drop", "ALL")
	t.Run("nobody without capabilities", func(t *testing.T) { e.conform(t, "TestConformance", nobody) })
	t.Run("root with three capabilities on an older kernel", func(t *testing.T) {
		e.conform(t, "TestConformanceOld",
			stock("--cap-drop", "ALL", "--cap-add", "SETUID", "--cap-add", "SETGID", "--cap-add", "KILL"))
	})
	t.Run("root without any capability",
		func(t *testing.T) { e.conform(t, "TestConformance", stock("--cap-drop", "ALL")) })
	t.Run("root as it comes", func(t *testing.T) {
		r := e.check(t, Name, stock())
		if !r.Ready || !strings.Contains(r.Version, "own uids") {
			t.Errorf("%+v", r)
		}
	})
	t.Run("read-only root", func(t *testing.T) {
		r := e.check(t, Name, append(nobody, "--read-only", "--tmpfs", "/tmp:mode=1777"))
		if !r.Ready {
			t.Errorf("%+v", r)
		}
	})
	refusals := []struct {
		name, backend string
		options       []string
		reason        string
	}{
		{"nobody on an older kernel", old, nobody, "SETUID, SETGID and KILL"},
		{"root with capabilities, but not these", Name, stock("--cap-drop", "ALL", "--cap-add", "NET_RAW"),
			"without the capability SETUID"},
		{"root without any capability on an older kernel", old, stock("--cap-drop", "ALL"), "SETUID, SETGID and KILL"},
		{"root that can't end its boxes", Name, stock("--cap-drop", "ALL", "--cap-add", "SETUID", "--cap-add",
			"SETGID"),
			"without the capability KILL"},
		{"nowhere to write", Name, append(nobody, "--read-only"), "AIRLOCK_PLUGIN_LANDLOCK_TMP"},
	}
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			r := e.check(t, tt.backend, tt.options)
			if r.Ready || r.Tier != plugins.TierNone || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("%+v, want a reason with %q", r, tt.reason)
			}
		})
	}
}

func (e *engine) conform(t *testing.T, test string, options []string) {
	// The shell is there to be a first process that takes the status of orphans.
	out, err := e.run(t, options, "/usr/bin/sh", "-c", "/test/landlock.test -test.v -test.run '^"+test+"$'; exit $?")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, "--- PASS") || strings.Contains(line, "control ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func (e *engine) check(t *testing.T, backend string, options []string) plugins.Report {
	out, err := e.run(t, append([]string{"-i"}, options...), "/test/landlock.test", "check", backend)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var r plugins.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}

// run runs a command in a fresh container and returns what it printed.
func (e *engine) run(t *testing.T, options []string, command ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"-H", e.Host(), "run", "--rm", "-e", sandboxtest.GuestVariable + "=/test/guest",
		"-e", sandboxtest.SuiteVariable + "=" + cmp.Or(os.Getenv(sandboxtest.SuiteVariable), "essential")}, options...)
	cmd := exec.CommandContext(ctx, "docker", append(append(args, "runtime"), command...)...)
	cmd.Stdin = bytes.NewReader(sandboxtest.Guest(t))
	var diagnostic bytes.Buffer
	cmd.Stderr = &diagnostic
	out, err := cmd.Output()
	return string(out) + diagnostic.String(), err
}

// startEngine starts an engine for this test. It makes an image of this host's Python, the suite,
// and a file that a script must not read.
func startEngine(t *testing.T) *engine {
	t.Helper()
	e := &engine{dockertest.New(t)}
	root, err := dockertest.Root()
	if err != nil {
		t.Fatal(err)
	}
	root, err = dockertest.With(root,
		dockertest.File{Name: "tmp/", Mode: 0o1777}, dockertest.File{Name: "var/tmp/", Mode: 0o1777},
		dockertest.File{Name: "data/", Mode: 0o755},
		dockertest.File{Name: "etc/shadow", Mode: 0o644, Data: []byte("secret\n")},
		dockertest.File{Name: "test/landlock.test", Mode: 0o755, Data: dockertest.Static(t, ".", "test", "-c")},
		dockertest.File{Name: "test/guest", Mode: 0o755, Data: sandboxtest.Guest(t)},
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Import("runtime", root); err != nil {
		t.Fatal(err)
	}
	if abi := ruleset.ABI(); abi < ruleset.ScopedABI {
		t.Logf("this kernel has Landlock %d", abi)
	}
	return e
}
