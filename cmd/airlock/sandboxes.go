package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/bubblewrap"
)

// backends are the built-in sandbox backends, in the order in which auto tries them.
func backends() []string { return []string{bubblewrap.Name} }

// plugin is airlock plugin NAME.
func plugin(ctx context.Context, args []string) error {
	if len(args) == 1 && args[0] == bubblewrap.Name {
		return plugins.Serve(ctx, bubblewrap.Name, bubblewrap.New())
	}
	return usageError{"usage: airlock plugin NAME, where NAME is one of " + strings.Join(backends(), ", ") + "; only the server starts it"}
}

// sandboxes are the started plugins.
type sandboxes struct {
	list    []engine.Sandbox
	clients []*plugins.Client
}

// openSandboxes starts the configured plugins. One that can't be started becomes a backend that says why when it is checked: the server
// must come up to show it.
func openSandboxes(ctx context.Context, cfg config, label string, log *slog.Logger) (*sandboxes, error) {
	names := cfg.Sandbox
	if len(names) == 1 && names[0] == "auto" {
		names = backends()
	}
	s := &sandboxes{}
	for _, name := range names {
		state := filepath.Join(cfg.DataDir, "sandbox", name)
		if err := os.MkdirAll(state, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("make the state directory of %s: %w", name, err), s.close())
		}
		state, err := filepath.Abs(state)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		one := engine.Sandbox{Name: name, Config: plugins.Config{Instance: label, StateDir: state, Settings: cfg.PluginSettings[name], Limits: boxLimits(cfg.Limits)}}
		client, err := plugins.Open(ctx, plugins.HostConfig{Name: name, Logger: log.With("plugin", name)})
		if err != nil {
			log.Error("a sandbox plugin could not be started", "plugin", name, "error", err)
			one.Backend = unstartable{name, err}
		} else {
			one.Backend = client
			s.clients = append(s.clients, client)
		}
		s.list = append(s.list, one)
	}
	return s, nil
}

func (s *sandboxes) close() error {
	var errs []error
	for _, c := range s.clients {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func boxLimits(l app.Limits) plugins.Limits {
	return plugins.Limits{Memory: l.Memory, CPU: l.CPU, Pids: l.Pids, Tmp: l.Tmp, Files: l.Files}
}

// unstartable is a backend whose plugin did not start.
type unstartable struct {
	name string
	err  error
}

func (u unstartable) Check(context.Context, plugins.Config) (plugins.Report, error) {
	return plugins.Report{Name: u.name, Tier: plugins.TierNone, Reason: "the plugin could not be started: " + u.err.Error()}, nil
}

func (u unstartable) Run(context.Context, plugins.Spec, io.Reader, io.Writer) (plugins.Exit, error) {
	return plugins.Exit{}, u.err
}
