package sandboxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Order is the first line of a test guest's stdin, as JSON.
type Order struct {
	Exit *int     `json:"exit,omitempty"` // end at once with this code
	Echo bool     `json:"echo,omitempty"` // copy stdin to stdout; end with 0 at end of file
	Argv []string `json:"argv,omitempty"` // run this, its stderr joined to stdout; end with its code, or 128+signal
	Hold bool     `json:"hold,omitempty"` // after Argv ended, stay until the end of stdin
}

// codeEOF is how the guest ends when its stdin ends before what it runs.
const codeEOF = 99

// Guest returns the test guest, for tests of a backend without a plugin.
func Guest(tb testing.TB) []byte {
	tb.Helper()
	binary, err := os.ReadFile(buildGuest(tb, tb.TempDir()))
	if err != nil {
		tb.Fatal(err)
	}
	return binary
}

// GuestVariable names an environment variable with the path of a built test guest, for machines
// without Go.
const GuestVariable = "SANDBOXTEST_GUEST"

// buildGuest builds the test guest into dir and returns its path. Go's cache speeds up the second
// time.
func buildGuest(tb testing.TB, dir string) string {
	tb.Helper()
	if path := os.Getenv(GuestVariable); path != "" {
		return path
	}
	path := filepath.Join(dir, "testguest")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path,
		"github.com/computclaw/airlock/plugins/sandboxtest/testguest")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build the test guest: %v\n%s", err, out)
	}
	return path
}
