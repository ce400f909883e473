package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// boxImage is what the docker backend runs in these tests: this host's Python.
const boxImage = "airlock-test:1"

// dockerSettings starts an engine with an image, until the end of the test, and returns what a server needs to use it.
func dockerSettings(tb testing.TB) (*dockertest.Engine, []string) {
	tb.Helper()
	root, err := dockertest.Root()
	if err != nil {
		tb.Fatal(err)
	}
	e := dockertest.New(tb)
	if err := e.Import(boxImage, root); err != nil {
		tb.Fatal(err)
	}
	return e, []string{"AIRLOCK_PLUGIN_DOCKER_HOST=" + e.Host(), "AIRLOCK_DOCKER_IMAGE=" + boxImage}
}

// sshSettings are what a server needs to use a machine.
func sshSettings(m *sshtest.Machine) []string {
	var env []string
	for name, value := range m.Settings() {
		env = append(env, "AIRLOCK_PLUGIN_SSH_"+strings.ToUpper(name)+"="+value)
	}
	return env
}

// BenchmarkBackends compares all four backends, with an engine and a machine of its own: see the Makefile's bench-backends.
func BenchmarkBackends(b *testing.B) {
	if os.Getenv("AIRLOCK_TEST_WORLD") != "1" {
		inner := exec.Command("unshare", "--net", "--mount", "--", os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkBackends$", "-test.benchtime=1x", "-test.timeout=30m")
		inner.Env, inner.Stdout, inner.Stderr = append(os.Environ(), "AIRLOCK_TEST_WORLD=1"), os.Stdout, os.Stderr
		if err := inner.Run(); err != nil {
			b.Fatal(err)
		}
		return
	}
	if err := os.Unsetenv("AIRLOCK_TEST_WORLD"); err != nil {
		b.Fatal(err)
	}
	_, docker := dockerSettings(b)
	machine := sshtest.New(b, sshtest.Options{})
	bench := exec.Command(filepath.Join(binDir, "airlock"), "bench", "--speed", "--pages", "0", "--backends")
	bench.Env = append(append(os.Environ(), docker...), sshSettings(machine)...)
	bench.Stdout, bench.Stderr = os.Stdout, os.Stderr
	if err := bench.Run(); err != nil {
		b.Fatal(err)
	}
}
