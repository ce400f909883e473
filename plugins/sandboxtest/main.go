package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/plugins"
)

// Main runs the tests of m in a process that also serves as plugin and host.
//
//	TESTBINARY plugin NAME GUEST         serves newBackend(GUEST's content)
//	TESTBINARY check NAME                checks newBackend(stdin) in its own process and prints the report as JSON
//	TESTBINARY host NAME GUEST DIR KEY=VALUE…  opens a box that sleeps, and waits to be killed
func Main(m *testing.M, name string, newBackend func(guest []byte) plugins.Sandbox) {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 3 && args[0] == "plugin" && args[1] == name:
		err = servePlugin(name, args[2], newBackend)
	case len(args) == 2 && args[0] == "check" && args[1] == name:
		err = checkHere(newBackend)
	case len(args) >= 4 && args[0] == "host" && args[1] == name:
		err = beHost(name, args[2], args[3], args[4:])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func checkHere(newBackend func([]byte) plugins.Sandbox) error {
	binary, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	report, err := newBackend(binary).Check(context.Background(),
		plugins.Config{Instance: "test-" + token(), Limits: limits()})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

func servePlugin(name, guest string, newBackend func([]byte) plugins.Sandbox) error {
	binary, err := os.ReadFile(guest)
	if err != nil {
		return err
	}
	return plugins.Serve(context.Background(), name, newBackend(binary))
}

// Plugin returns a constructor of clients for Main's plugin, each with its own configuration.
func Plugin(name string, settings map[string]string) func(t *testing.T) (plugins.Sandbox, plugins.Config) {
	return func(t *testing.T) (plugins.Sandbox, plugins.Config) {
		t.Helper()
		return Open(t, name, settings)
	}
}

// Open starts Main's plugin until the end of the test. Boxes run the test guest.
func Open(tb testing.TB, name string, settings map[string]string) (*plugins.Client, plugins.Config) {
	tb.Helper()
	dir := tb.TempDir()
	sockets := filepath.Join(dir, "sockets")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		tb.Fatal(err)
	}
	client, err := plugins.Open(tb.Context(), plugins.HostConfig{
		Name: name, Args: []string{buildGuest(tb, dir)}, Dir: sockets, Logger: testLogger(tb),
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := client.Close(); err != nil {
			tb.Error(err)
		}
	})
	return client, newConfig(tb, settings)
}

func newConfig(tb testing.TB, settings map[string]string) plugins.Config {
	state := filepath.Join(tb.TempDir(), "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		tb.Fatal(err)
	}
	return plugins.Config{Instance: "test-" + token(), StateDir: state, Settings: settings, Limits: limits()}
}

// beHost plays an Airlock that is about to be killed, with a plugin and a sleeping box. It prints
// the plugin's process and then the box's readiness.
func beHost(name, guest, dir string, pairs []string) error {
	ctx := context.Background()
	client, err := plugins.Open(ctx, plugins.HostConfig{Name: name, Args: []string{guest}, Dir: dir})
	if err != nil {
		return err
	}
	defer client.Close()
	cfg, mark := plugins.Config{Settings: map[string]string{}, Limits: limits()}, ""
	for _, pair := range pairs {
		switch key, value := split(pair); key {
		case "instance":
			cfg.Instance = value
		case "state":
			cfg.StateDir = value
		case "mark":
			mark = value
		default:
			cfg.Settings[key] = value
		}
	}
	report, err := client.Check(ctx, cfg)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if !report.Ready {
		return fmt.Errorf("check: %s", report.Reason)
	}
	fmt.Println(client.PID())
	stdin, _ := order(sleeper(mark))
	_, err = client.Run(ctx, plugins.Spec{ID: "host-" + mark}, stdin, os.Stdout)
	return err
}
