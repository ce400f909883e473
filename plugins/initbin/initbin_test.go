package initbin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestForUnknownArchitectureSaysWhatToDo(t *testing.T) {
	_, err := For("riscv64")
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Fatalf("For(riscv64) = %v, want an error that names make build", err)
	}
}

// TestEmbeddedIsThisSource builds the program as the Makefile does. Most tests run the embedded
// one, which must not be outdated.
func TestEmbeddedIsThisSource(t *testing.T) {
	want, err := For(runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "airlock-init")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", path,
		"github.com/computclaw/airlock/cmd/airlock-init")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the embedded airlock-init was not built from this source: run make init")
	}
}
