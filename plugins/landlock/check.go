package landlock

import (
	"context"
	"fmt"
	"os"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memfile"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
)

// Check implements plugins.Sandbox. It takes about two seconds. Open boxes stay open; until it is
// done, new ones use the previous configuration.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	report := plugins.Report{Name: Name, Version: "Landlock", Tier: plugins.TierRestricted}
	return b.ready.Check(ctx, cfg, report, func(r *plugins.Report) (*host, error) { return b.check(ctx, cfg, r) })
}

// check sweeps leftovers of this instance, opens boxes and tries to break out.
func (b *Backend) check(ctx context.Context, cfg plugins.Config, report *plugins.Report) (*host, error) {
	s, err := parseSettings(cfg.Settings)
	if err != nil {
		return nil, err
	}
	if _, err := boxLimits(cfg.Limits); err != nil {
		return nil, err
	}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	h, err := b.inspect(s, cfg.Instance, cfg.StateDir)
	if err != nil {
		return nil, err
	}
	report.Version = h.version()
	if err := h.sweep(b.boxes.IsOpen); err != nil {
		return nil, fmt.Errorf("sweep what an earlier run left: %w", err)
	}
	report.Enforced, report.Notes = nameEnforced(), Notes()
	if report.Controls, err = h.prove(ctx, cfg.StateDir); err != nil {
		return nil, fmt.Errorf("boxes cannot be opened here: %w", err)
	}
	if err := probe.Refute(*report); err != nil {
		return nil, err
	}
	_, report.Runtime, err = probe.Identify(ctx, h.python)
	return h, err
}

func (b *Backend) prepare() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.guestFile != nil {
		return nil
	}
	if err := stdio.CloseOnExec(); err != nil {
		return err
	}
	var made []*os.File
	for _, program := range []func() ([]byte, error){b.guest, readEmbedded} {
		binary, err := program()
		if err != nil {
			return err
		}
		file, err := memfile.Seal("airlock-init", binary)
		if err != nil {
			return err
		}
		made = append(made, file)
	}
	b.guestFile, b.supervisorFile = made[0], made[1]
	return nil
}
