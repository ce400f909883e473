package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build makes a program as make build does, which has compiled all of it.
func build(t *testing.T, source string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "program")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-o", path, source)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// The demo must hold on a fresh instance, and again on a used one.
func TestDemo(t *testing.T) {
	binary, dir := build(t, "../../cmd/airlock"), t.TempDir()
	for _, round := range []string{"fresh", "used"} {
		if err := run(t.Context(), options{binary: binary, addr: freeAddress(t), dir: dir, once: true}); err != nil {
			t.Fatalf("%s instance: %v", round, err)
		}
	}
}

// Ctrl-C is how the demo is meant to end, so it is no failure.
func TestCtrlCEndsTheDemoWell(t *testing.T) {
	demo := exec.CommandContext(t.Context(), build(t, "."), "-airlock", build(t, "../../cmd/airlock"), "-data",
		filepath.Join(t.TempDir(), "data"))
	demo.Env = append(os.Environ(), "AIRLOCK_ADDR="+freeAddress(t))
	out, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "Ctrl-C ends it.") {
			_ = demo.Process.Signal(os.Interrupt)
		}
	}
	if err := demo.Wait(); err != nil {
		t.Errorf("the demo ended with %v", err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
