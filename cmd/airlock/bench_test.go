package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchHasEveryRow: airlock bench puts into one table, in one run, all that docs/performance.md says it does. What it measures here is too little to mean anything.
func TestBenchHasEveryRow(t *testing.T) {
	t.Parallel()
	command := exec.Command(filepath.Join(binDir, "airlock"), "bench", "--speed", "--rounds", "3", "--seconds", "1", "--pages", "60", "--peer", "/usr/bin/python3 -I -c pass", "--peer", "/no/such/runner")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range []string{
		"bare python3 -c pass", "bubblewrap by itself", "docker run --rm", "/usr/bin/python3 -I -c pass",
		"submit to completed, warm", "submit to completed, cold", "submit to completed, 1 client ", "submit to completed, 8 clients", "submit to completed, 32 clients", "submit to the first byte of output",
		"GET /executions/{id}, 8 clients", "memory of the server", "start to the first answer", "start to a sandbox",
		"page: list of executions", "page: one execution", "page: overview",
	} {
		if !strings.Contains("\n"+string(out), "\n"+row) {
			t.Errorf("there is no row %q", row)
		}
	}
	for line := range strings.Lines(string(out)) {
		measured := strings.Contains(line, " ms") || strings.Contains(line, " MiB")
		if missing := strings.Contains(line, "not here"); strings.HasPrefix(line, "/no/such/runner  ") != missing && !strings.HasPrefix(line, "docker run") || strings.HasPrefix(line, "page:") && !measured {
			t.Errorf("%s", line)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
