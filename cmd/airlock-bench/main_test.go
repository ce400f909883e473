package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// TestTables measures one program as if it were two, too briefly to mean anything.
func TestTables(t *testing.T) {
	airlock := filepath.Join(t.TempDir(), "airlock")
	build := exec.Command("go", "build", "-trimpath", "-o", airlock, "../airlock")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out bytes.Buffer
	must(t, run(t.Context(), &out, []string{"--airlock", airlock, "--airlock", airlock,
		"--turns", "1", "--rounds", "3", "--length", "100ms", "--body", "1"}))
	for _, row := range []string{
		"bare python3 -c pass", "start to a checked sandbox", "submit to completed, warm", "submit to completed, cold",
		"executions, clients: 32", "processor time of an execution, server alone, clients: 8", "memory of the server, at most",
		"GET /executions/{id}, 8 clients, rate", "request, new connection, TLS, relayed, box", "download, TLS, with a swap, box",
	} {
		_, rest, found := strings.Cut(out.String(), "\n"+row)
		if line, _, _ := strings.Cut(rest, "\n"); !found || !strings.HasSuffix(line, "%") {
			t.Errorf("there is no comparison of %q", row)
		}
	}
	t.Logf("%s", &out)
}

func TestCommandLineIsChecked(t *testing.T) {
	this, err := os.Executable()
	must(t, err)
	for args, message := range map[string]string{
		"--turns -1":                       "-turns",
		"house":                            `there is no table "house"`,
		"--airlock /no/such/program speed": "no such file",
	} {
		_, err := parseOptions(&bytes.Buffer{}, append([]string{"--airlock", this}, strings.Fields(args)...))
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", args, err)
		}
	}
	o, err := parseOptions(&bytes.Buffer{}, []string{"--airlock", this, "--airlock", this, "egress"})
	if err != nil || len(o.programs) != 2 || len(o.tables) != 1 {
		t.Errorf("%+v %v", o, err)
	}
}
