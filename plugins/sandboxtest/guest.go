package sandboxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
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

// builtGuest is the path of the test guest, built once per test process.
type builtGuest struct {
	once sync.Once
	path string
	out  []byte
	err  error
}

func (g *builtGuest) build(tb testing.TB, dir string) string {
	tb.Helper()
	g.once.Do(func() {
		g.path = filepath.Join(dir, "testguest")
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", g.path, "github.com/computclaw/airlock/plugins/sandboxtest/testguest")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		g.out, g.err = cmd.CombinedOutput()
	})
	if g.err != nil {
		tb.Fatalf("build the test guest: %v\n%s", g.err, g.out)
	}
	return g.path
}
