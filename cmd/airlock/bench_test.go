package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheBenchmarkOfAMoveRuns moves a small house through the commands and forms that a person uses, as large ones are measured.
func TestTheBenchmarkOfAMoveRuns(t *testing.T) {
	run := exec.CommandContext(t.Context(), filepath.Join(binDir, "airlock"), "bench", "--house", "--history", "20")
	run.Env = append(run.Environ(), "TMPDIR="+t.TempDir())
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range []string{"airlock admin restore", "airlock admin import", "list of executions", "backup of the running server, verified"} {
		if !strings.Contains(string(out), "\n"+row) {
			t.Errorf("no row for %s:\n%s", row, out)
		}
	}
}
