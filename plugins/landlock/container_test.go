package landlock

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/landlock/ruleset"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// engine is a Docker engine of the test's own, with one image.
type engine struct{ *dockertest.Engine }

// stock is how hosting platforms run a container: everything at its default, and less than that.
func stock(extra ...string) []string {
	return append([]string{"--network", "none", "--security-opt", "no-new-privileges"}, extra...)
}

// TestInContainer runs the backend where it is for: in containers that nobody gave anything. It is the
// least of the suite unless all of it is asked for.
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

// startEngine starts an engine that ends with the test, and makes an image of this host's Python,
// the suite, and a file that a script must not read.
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
