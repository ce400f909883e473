package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The steps of docs/plugins.md: build it, configure it by checksum, let the doctor prove it.
func TestInTheProgram(t *testing.T) {
	dir := t.TempDir()
	build := func(name, pkg string) (path string, sum string) {
		t.Helper()
		path = filepath.Join(dir, name)
		cmd := exec.Command("go", "build", "-trimpath", "-o", path, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", pkg, err, out)
		}
		binary, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256(binary)
		return path, hex.EncodeToString(digest[:])
	}
	plugin, sum := build("mybox", ".")
	program, _ := build("airlock", "github.com/computclaw/airlock/cmd/airlock")
	doctor := func(setting string, more ...string) string {
		cmd := exec.CommandContext(t.Context(), program, "doctor")
		cmd.Env = append([]string{"PATH=/usr/bin:/bin", "AIRLOCK_SANDBOX=mybox", "AIRLOCK_PLUGINS=mybox=" + plugin + "@sha256:" + setting}, more...)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := doctor(sum); !strings.Contains(out, "mybox 1: ready, isolation restricted") || !strings.Contains(out, "proved  no network") {
		t.Errorf("not ready:\n%s", out)
	}
	if out := doctor(strings.Repeat("0", 64)); !strings.Contains(out, "does not have the configured sha256") {
		t.Errorf("another checksum:\n%s", out)
	}
	if out := doctor(sum, "AIRLOCK_PLUGIN_MYBOX_COLOUR=blue"); !strings.Contains(out, `unknown setting "colour"`) {
		t.Errorf("a setting it doesn't know:\n%s", out)
	}
	// One that is refused doesn't keep others from being used.
	if out := doctor(strings.Repeat("0", 64), "AIRLOCK_SANDBOX=mybox,bubblewrap"); !strings.Contains(out, "bubblewrap 0.") || !strings.Contains(out, ": ready, isolation full") {
		t.Errorf("bubblewrap suffered:\n%s", out)
	}
}
