package docker

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

// Airlock in a container opens boxes with bubblewrap under the seccomp profile that is shipped, and says how to get there where it isn't used.
func TestBubblewrapInContainer(t *testing.T) {
	const image = "airlock-outer:1"
	if err := shared.Import(image, outerImage(t)); err != nil {
		t.Fatal(err)
	}
	profile, err := filepath.Abs("../../deploy/seccomp/airlock.json")
	if err != nil {
		t.Fatal(err)
	}
	shipped := []string{"--security-opt", "seccomp=" + profile, "--security-opt", "systempaths=unconfined"}
	for _, tt := range []struct {
		name  string
		flags []string
		want  string
		fails bool
	}{
		{"as the engine comes", nil, "--security-opt seccomp=deploy/seccomp/airlock.json", true},
		{"with the profile, as root", shipped, "ready, isolation full", false},
		{"with the profile, as nobody without capabilities", append([]string{"--user", "65534:65534", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"}, shipped...),
			"ready, isolation full", false},
		{"with the profile, as root without capabilities", append([]string{"--cap-drop", "ALL"}, shipped...), "--cap-add SETUID --cap-add SETGID", true},
		{"with the profile, as root with those that it asks for", append([]string{"--cap-drop", "ALL", "--cap-add", "SETUID", "--cap-add", "SETGID"}, shipped...), "ready, isolation full", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"-H", shared.Host(), "run", "--rm", "--network", "none", "--tmpfs", "/tmp:exec,mode=1777",
				"-e", "AIRLOCK_SANDBOX=bubblewrap", "-e", "AIRLOCK_DATA_DIR=/tmp/data"}, tt.flags...)
			out, err := exec.CommandContext(t.Context(), "docker", append(args, image, "/airlock", "doctor")...).CombinedOutput()
			if (err != nil) != tt.fails || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// outerImage is a root with the program itself, bubblewrap and Python.
func outerImage(t *testing.T) []byte {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "airlock")
	build := exec.Command("go", "build", "-o", binary, "github.com/computclaw/airlock/cmd/airlock")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	root, err := dockertest.Root("bubblewrap")
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: "airlock", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(program); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // without the end mark: the root follows
		t.Fatal(err)
	}
	return append(buf.Bytes(), root...)
}
