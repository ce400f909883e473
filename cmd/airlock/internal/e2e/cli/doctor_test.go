package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// airlock doctor | head left its directory behind.
func TestDoctorThatNobodyReadsCleansUp(t *testing.T) {
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), filepath.Join(e2e.BinDir, "airlock"), "doctor")
	command.Env = append(os.Environ(), "TMPDIR="+dir, "AIRLOCK_SANDBOX=bubblewrap,landlock")
	out, err := command.StdoutPipe()
	e2e.Must(t, err)
	e2e.Must(t, command.Start())
	e2e.Must(t, out.Close())
	_ = command.Wait()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	e2e.Must(t, err)
	if len(left) > 0 {
		t.Errorf("%q", left)
	}
}
