package docker

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

const testImage = "airlock-test:1"

// shared is the engine of all tests that don't harm others; base is what images are made of.
var (
	shared *dockertest.Engine
	base   []byte
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && (os.Args[1] == "plugin" || os.Args[1] == "host" || os.Args[1] == "check") {
		sandboxtest.Main(m, Name, func(guest []byte) plugins.Sandbox { return New(WithGuest(guest)) })
		return
	}
	code, err := withEngine(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func withEngine(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "docker-engine-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if base, err = dockertest.Root(); err != nil {
		return 0, err
	}
	if shared, err = dockertest.Start(dir); err != nil {
		return 0, err
	}
	defer func() {
		if stopErr := shared.End(); err == nil {
			err = stopErr
		}
	}()
	if err := shared.Import(testImage, base); err != nil {
		return 0, err
	}
	return run(), nil
}

func TestConformance(t *testing.T) {
	newSandbox := sandboxtest.Plugin(Name, sharedSettings())
	sandboxtest.Run(t, newSandbox,
		sandboxtest.Options{Name: Name, Leftovers: settled(t, shared), UncountedForks: true, Measures: true})
}

// TestConformanceThroughProxy runs the shortest suite with only the rights that a socket proxy
// gives.
func TestConformanceThroughProxy(t *testing.T) {
	proxy := startProxy(t, shared.Socket())
	settings := sharedSettings()
	settings["host"] = proxy.host
	sandboxtest.Run(t, sandboxtest.Plugin(Name, settings), sandboxtest.Options{
		Name: Name, Leftovers: settled(t, shared), UncountedForks: true, Essential: true, Measures: true,
	})
	for _, path := range proxy.refusals() {
		t.Errorf("asked for %s", path)
	}
}

func sharedSettings() map[string]string {
	return map[string]string{"host": shared.Host(), "image": testImage}
}

// outerImage is the name of an image with the program itself, bubblewrap, its suite, and Python.
const outerImage = "airlock-outer:1"

// TestBubblewrapInContainer runs bubblewrap's suite in containers under the shipped seccomp
// profile. It is the shortest suite unless all is asked for. Without the profile, Airlock says how
// to use it.
func TestBubblewrapInContainer(t *testing.T) {
	if err := shared.Import(outerImage, outerRoot(t)); err != nil {
		t.Fatal(err)
	}
	profile, err := filepath.Abs("../../deploy/seccomp/airlock.json")
	if err != nil {
		t.Fatal(err)
	}
	shipped := []string{"--security-opt", "seccomp=" + profile, "--security-opt", "systempaths=unconfined"}
	nobody := append([]string{"--user", "65534:65534", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
		"--read-only"}, shipped...)
	doctor := []string{"/airlock", "doctor"}
	much := []string{"-e", sandboxtest.SuiteVariable + "=" + cmp.Or(os.Getenv(sandboxtest.SuiteVariable), "essential")}
	// The shell is there to be a first process that takes the status of orphans.
	suite := []string{"/bin/sh", "-c", "/bubblewrap.test -test.v -test.run '^TestConformance$/^polled$'; exit $?"}
	for _, tt := range []struct {
		name    string
		flags   []string
		command []string
		want    string
		fails   bool
	}{
		{"as the engine comes", nil, doctor, "--security-opt seccomp=deploy/seccomp/airlock.json", true},
		{"with masked paths", shipped[:2], doctor, "--security-opt systempaths=unconfined", true},
		{"with the profile, as root", shipped, doctor, "ready, isolation full", false},
		{"with the profile, as nobody without capabilities", nobody, doctor, "ready, isolation full", false},
		{"with the profile, as root without capabilities", append([]string{"--cap-drop", "ALL"}, shipped...), doctor,
			"--cap-add SETUID --cap-add SETGID", true},
		{"with the profile, as root with those that it asks for",
			append([]string{"--cap-drop", "ALL", "--cap-add", "SETUID", "--cap-add", "SETGID"}, shipped...), doctor,
			"ready, isolation full", false},
		{"the suite as root", slices.Concat(much, shipped), suite, "--- PASS: TestConformance/polled", false},
		{"the suite as nobody without capabilities", slices.Concat(much, nobody), suite, "--- PASS: TestConformance/polled", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"-H", shared.Host(), "run", "--rm", "--network", "none", "--tmpfs",
				"/tmp:exec,mode=1777", "-e", "AIRLOCK_SANDBOX=bubblewrap", "-e", "AIRLOCK_DATA_DIR=/tmp/data", "-e",
				sandboxtest.GuestVariable + "=/guest"}, tt.flags...)
			out, err := exec.CommandContext(t.Context(), "docker",
				append(append(args, outerImage), tt.command...)...).CombinedOutput()
			if (err != nil) != tt.fails || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// outerRoot is the root of the image, a tar file.
func outerRoot(t *testing.T) []byte {
	t.Helper()
	root, err := dockertest.Root("bubblewrap")
	if err != nil {
		t.Fatal(err)
	}
	root, err = dockertest.With(root,
		dockertest.File{Name: "airlock", Mode: 0o755,
			Data: dockertest.Static(t, "github.com/computclaw/airlock/cmd/airlock", "build")},
		dockertest.File{Name: "bubblewrap.test", Mode: 0o755,
			Data: dockertest.Static(t, "github.com/computclaw/airlock/plugins/bubblewrap", "test", "-c")},
		dockertest.File{Name: "guest", Mode: 0o755, Data: sandboxtest.Guest(t)},
	)
	if err != nil {
		t.Fatal(err)
	}
	return root
}
