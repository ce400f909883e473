package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// BinDir holds the real program, built once with the guest inside.
var BinDir string

// innerProgram tells an inner run where the program is, as linking takes seconds.
const innerProgram = "AIRLOCK_TEST_PROGRAM"

// RunTests is TestMain for every package that tests the whole program.
func RunTests(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	if built := os.Getenv(innerProgram); built != "" { // what inNamespaces runs has it from who runs it
		BinDir = built
		if err := os.Unsetenv(innerProgram); err != nil {
			return 0, err
		}
		return m.Run(), nil
	}
	if err := buildProgram(); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// buildProgram links the program where every test package finds it. It builds like make init,
// without the directory's name, so the cache serves fresh clones too. The guest is make init's.
func buildProgram() error {
	root, err := filepath.Abs("../../../../../")
	if err != nil {
		return err
	}
	BinDir = filepath.Join(root, ".bin", "e2e")
	if err := os.MkdirAll(BinDir, 0o755); err != nil {
		return err
	}
	lock, err := os.Create(filepath.Join(root, ".bin", "e2e.lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("wait for another build: %w", err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o",
		filepath.Join(BinDir, "airlock"), "./cmd/airlock")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}
