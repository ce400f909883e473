package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/cmd/airlock/internal/backends"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/plugins"
)

// plugin is airlock plugin NAME.
func plugin(ctx context.Context, _ cli.Console, args []string) error {
	if len(args) == 1 {
		if b, ok := backends.Find(args[0]); ok {
			return plugins.Serve(ctx, b.Name, b.New())
		}
	}
	return cli.UsageError{Message: "usage: airlock plugin NAME, where NAME is one of " +
		strings.Join(backends.Names(), ", ") + "; only the server starts it"}
}

// sandboxes are the started plugins.
type sandboxes struct {
	list    []sandbox.BackendConfig
	clients []*plugins.Client
}

// openSandboxes prepares the configured backends. A plugin that can't start shows at its proof, so
// server and other backends come up. sockets: a directory for plugins' sockets, cleared of a killed
// server's; "" means temporary ones.
func openSandboxes(cfg config.Config, label, sockets string, log *slog.Logger) (*sandboxes, error) {
	s := &sandboxes{}
	for _, name := range cfg.UsedBackends() {
		state, err := filepath.Abs(filepath.Join(cfg.DataDir, "sandbox", name))
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(state, 0o700); err != nil {
			return nil, fmt.Errorf("make the state directory of %s: %w", name, err)
		}
		host := plugins.HostConfig{Name: name, Dir: sockets, Logger: log}
		if b, ok := backends.Find(name); ok && b.Capabilities != nil {
			if host.Capabilities, err = b.Capabilities(); err != nil {
				return nil, err
			}
		}
		for _, own := range cfg.Plugins {
			if own.Name == name {
				host.Path, host.SHA256 = own.Path, own.Sha256
			}
		}
		client := plugins.New(host)
		s.clients = append(s.clients, client)
		s.list = append(s.list, sandbox.BackendConfig{Name: name, Backend: client,
			Config: plugins.Config{Instance: label, StateDir: state, Settings: cfg.PluginSettings[name],
				Limits: sandbox.BoxLimits(cfg.Limits)}})
	}
	return s, nil
}

// socketsIn makes the directory for the sockets of the server's plugins.
func socketsIn(dataDir string) (string, error) {
	dir, err := filepath.Abs(filepath.Join(dataDir, "sockets"))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("make the directory of the plugins' sockets: %w", err)
	}
	return dir, nil
}

func (s *sandboxes) Close() error {
	var errs []error
	for _, c := range s.clients {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
