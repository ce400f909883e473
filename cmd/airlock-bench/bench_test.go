package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// program builds airlock.
func program(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "airlock")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "../airlock")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestTables measures too little to mean anything, and looks for each row that docs/performance.md
// names.
func TestTables(t *testing.T) {
	airlock := program(t)
	for table, rows := range map[string][]string{
		"speed": {
			"bare python3 -c pass", "submit to completed, warm", "submit to completed, cold",
			"submit to completed, 1 client ", "submit to completed, 8 clients", "submit to completed, 32 clients",
			"submit to the first byte of output", "GET /executions/{id}, 8 clients", "memory of the server",
			"start to the first answer", "start to a sandbox", "page: list of executions", "page: one execution",
			"page: overview",
		},
		"egress":    {"egress, request on a warm connection, direct", "script in a box, download, intercepted"},
		"redaction": {"copy: log text", "stream, 1000 values: log text", "final pass, 50 values: base64 of random bytes"},
		"backends":  {"python3 -c pass", "bubblewrap        full"},
		"files":     {"files of 1 MiB, MiB/s"},
		"skills":    {"submit to completed, warm, a script", "submit to completed, warm, the same as a skill", "scan those 5 MiB"},
		"parked":    {"executions that wait for the LLM at once"},
	} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := run(t.Context(), &out, []string{"--airlock", airlock, "--rounds", "3", "--seconds", "0.1", "--body", "1",
				"--pages", "60", "--parked", "3", table})
			for _, row := range rows {
				if !strings.Contains("\n"+out.String(), "\n"+row) {
					t.Errorf("there is no row %q", row)
				}
			}
			if err != nil || t.Failed() {
				t.Fatalf("%v\n%s", err, &out)
			}
		})
	}
}

func TestCommandLineIsChecked(t *testing.T) {
	this, err := os.Executable()
	must(t, err)
	for args, message := range map[string]string{
		"--rounds 0":                       "--rounds",
		"--seconds -1":                     "--seconds",
		"--seconds NaN":                    "--seconds",
		"--body 0":                         "--body",
		"--parked 0":                       "--parked",
		"house":                            `there is no table "house"`,
		"--airlock /no/such/program speed": "make build",
	} {
		_, _, err := parse(&bytes.Buffer{}, append([]string{"--airlock", this}, strings.Fields(args)...))
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", args, err)
		}
	}
	o, names, err := parse(&bytes.Buffer{}, []string{"--airlock", this, "--parked", "5", "parked"})
	if err != nil || o.parked != 5 || len(names) != 1 {
		t.Errorf("%+v %v %v", o, names, err)
	}
}

// BenchmarkBackends compares all four backends, with a Docker engine and an SSH host made for it:
// `make bench-backends`.
func BenchmarkBackends(b *testing.B) {
	const inside = "BENCH_NAMESPACES"
	if os.Getenv(inside) == "" {
		inner := exec.Command("unshare", "--net", "--mount", "--", os.Args[0], "-test.run=^$",
			"-test.bench=^BenchmarkBackends$",
			"-test.benchtime=1x", "-test.timeout=30m")
		inner.Env, inner.Stdout, inner.Stderr = append(os.Environ(), inside+"=1"), os.Stdout, os.Stderr
		must(b, inner.Run())
		return
	}
	must(b, exec.Command("ip", "link", "set", "lo", "up").Run())
	root, err := dockertest.Root()
	must(b, err)
	engine := dockertest.New(b)
	const image = "airlock-test:1"
	must(b, engine.Import(image, root))
	b.Setenv("AIRLOCK_PLUGIN_DOCKER_HOST", engine.Host())
	b.Setenv("AIRLOCK_DOCKER_IMAGE", image)
	for name, value := range sshtest.New(b, sshtest.Options{}).Settings() {
		b.Setenv("AIRLOCK_PLUGIN_SSH_"+strings.ToUpper(name), value)
	}
	must(b, run(b.Context(), os.Stdout, []string{"--airlock", program(b), "--pages", "0", "speed", "backends", "files"}))
}
