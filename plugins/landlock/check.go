package landlock

import (
	"context"
	"fmt"
	"os"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memfile"
)

// Check implements plugins.Sandbox. It sweeps what an earlier process of the same instance left
// behind, opens boxes and tries to break out of them. It takes about two seconds. Boxes that are
// open stay so, and until it is done others are opened under the previous configuration.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	b.checking.Lock()
	defer b.checking.Unlock()
	report := plugins.Report{Name: Name, Version: "Landlock", Tier: plugins.TierNone}
	unready := func(err error) (plugins.Report, error) {
		if ctx.Err() == nil { // else it was cut short and says nothing about the host
			b.install(nil)
		}
		report.Reason = err.Error()
		return report, ctx.Err()
	}
	if !plugins.IsLabel(cfg.Instance) {
		return unready(fmt.Errorf("instance %q: letters, digits and dashes only", cfg.Instance))
	}
	s, err := parseSettings(cfg.Settings)
	if err != nil {
		return unready(err)
	}
	if _, err := bound(cfg.Limits); err != nil {
		return unready(err)
	}
	if err := b.prepare(); err != nil {
		return unready(err)
	}
	h, err := b.inspect(s, cfg.Instance, cfg.StateDir)
	if err != nil {
		return unready(err)
	}
	report.Version = h.version()
	if err := h.sweep(b.boxes.IsOpen); err != nil {
		return unready(fmt.Errorf("sweep what an earlier run left: %w", err))
	}
	report.Enforced = enforced()
	if report.Controls, err = h.prove(ctx, cfg.StateDir); err != nil {
		return unready(fmt.Errorf("boxes cannot be opened here: %w", err))
	}
	for _, c := range report.Controls {
		if !c.Proved {
			return unready(fmt.Errorf("control %q did not hold: %s", c.Name, c.Detail))
		}
	}
	if report.Runtime, err = h.digest(ctx); err != nil {
		return unready(fmt.Errorf("identify the runtime: %w", err))
	}
	report.Ready, report.Tier = true, plugins.TierRestricted
	b.install(h)
	return report, nil
}

// prepare makes what all boxes share, once.
func (b *Backend) prepare() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.guestFile != nil {
		return nil
	}
	if err := closeOnExec(); err != nil {
		return err
	}
	var made []*os.File
	for _, program := range []func() ([]byte, error){b.guest, embedded} {
		binary, err := program()
		if err != nil {
			return err
		}
		file, err := memfile.Sealed("airlock-init", binary)
		if err != nil {
			return err
		}
		made = append(made, file)
	}
	b.guestFile, b.supervisorFile = made[0], made[1]
	return nil
}

func (b *Backend) install(h *host) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.host = h
}
