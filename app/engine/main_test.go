package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/bubblewrap"
	"github.com/computclaw/airlock/plugins/docker"
)

// guestPath is where TestMain puts airlock-init.
var guestPath string

// TestMain is also the plugin: the host starts its own program again.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "plugin" {
		if err := servePlugin(os.Args[2], os.Args[3]); err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(runTests(m))
}

func servePlugin(name, guest string) error {
	binary, err := os.ReadFile(guest)
	if err != nil {
		return err
	}
	if name == docker.Name {
		backend := docker.New(docker.WithGuest(binary))
		defer backend.Close()
		return plugins.Serve(context.Background(), name, backend)
	}
	return plugins.Serve(context.Background(), name, bubblewrap.NewFor(binary, ""))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "engine-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	guestPath = filepath.Join(dir, "airlock-init")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", guestPath,
		"github.com/computclaw/airlock/cmd/airlock-init")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build airlock-init: %v\n%s", err, out)
		return 1
	}
	// Each check starts real sessions. "-rapid.checks" on the command line overrides this.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
