package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binDir holds the real program, built once with the guest inside.
var binDir string

// innerProgram tells a run within a run where the program is. Linking it takes both processors for
// seconds.
const innerProgram = "AIRLOCK_TEST_PROGRAM"

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	if built := os.Getenv(innerProgram); built != "" { // what inNamespaces runs has it from who runs it
		binDir = built
		if err := os.Unsetenv(innerProgram); err != nil {
			return 0, err
		}
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "airlock-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	// The guest is what make init has built: another package's tests compile it in at the same time.
	// And as make init builds, without the directory's name in it, so that only the linking is left to
	// do, in a fresh clone, too.
	cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "airlock"), ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build: %w\n%s", err, out)
	}
	binDir = dir
	return m.Run(), nil
}
