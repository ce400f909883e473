package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// airlock doctor | head left its directory behind: it was ended when nobody read it any more.
func TestDoctorThatNobodyReadsCleansUp(t *testing.T) {
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), filepath.Join(binDir, "airlock"), "doctor")
	command.Env = append(os.Environ(), "TMPDIR="+dir, "AIRLOCK_SANDBOX=bubblewrap,landlock")
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	must(t, out.Close())
	_ = command.Wait()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%q", left)
	}
}
