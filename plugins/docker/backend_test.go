package docker

import (
	"fmt"
	"os"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

const testImage = "airlock-test:1"

// shared is the engine of all tests that don't harm others; base is what images are made of.
var (
	shared *dockertest.Engine
	base   []byte
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && (os.Args[1] == "plugin" || os.Args[1] == "host" || os.Args[1] == "check") {
		sandboxtest.Main(m, Name, func(guest []byte) plugins.Sandbox { return New(WithGuest(guest)) })
		return
	}
	code, err := withEngine(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func withEngine(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "docker-engine-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if base, err = dockertest.Root(); err != nil {
		return 0, err
	}
	if shared, err = dockertest.Start(dir); err != nil {
		return 0, err
	}
	defer func() {
		if stopErr := shared.End(); err == nil {
			err = stopErr
		}
	}()
	if err := shared.Import(testImage, base); err != nil {
		return 0, err
	}
	return run(), nil
}

func TestConformance(t *testing.T) {
	newSandbox := sandboxtest.Plugin(Name, sharedSettings())
	sandboxtest.Run(t, newSandbox,
		sandboxtest.Options{Name: Name, Leftovers: settled(t, shared), UncountedForks: true, Measures: true})
}

// TestConformanceThroughProxy runs the shortest suite with only the rights that a socket proxy
// gives.
func TestConformanceThroughProxy(t *testing.T) {
	proxy := startProxy(t, shared.Socket())
	settings := sharedSettings()
	settings["host"] = proxy.host
	sandboxtest.Run(t, sandboxtest.Plugin(Name, settings), sandboxtest.Options{
		Name: Name, Leftovers: settled(t, shared), UncountedForks: true, Essential: true, Measures: true,
	})
	for _, path := range proxy.refusals() {
		t.Errorf("asked for %s", path)
	}
}

func sharedSettings() map[string]string {
	return map[string]string{"host": shared.Host(), "image": testImage}
}
