package main

import (
	"net"
	"os/exec"
	"path/filepath"
	"testing"
)

// The demo is the main promise of the product, end to end: it must hold on a fresh instance and again on one that has been used.
func TestDemo(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "airlock")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/airlock").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	dir := t.TempDir()
	for _, round := range []string{"fresh", "used"} {
		if err := run(t.Context(), options{binary: binary, addr: freeAddress(t), dir: dir, once: true}); err != nil {
			t.Fatalf("%s instance: %v", round, err)
		}
	}
}

func TestAnAddressInUseIsToldInWords(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if err := free(listener.Addr().String()); err == nil {
		t.Error("an address in use passes for free")
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
