package bubblewrap

import (
	"context"
	"fmt"
	"maps"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memfile"
)

// Check implements plugins.Sandbox. It sweeps what an earlier process of the same instance left
// behind, opens boxes and tries to break out of them. It takes about a second. Boxes that are open
// stay so, and until it is done others are opened under the previous configuration.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	b.checking.Lock()
	defer b.checking.Unlock()
	report := plugins.Report{Name: Name, Tier: plugins.TierNone}
	unready := func(err error) (plugins.Report, error) {
		if ctx.Err() == nil { // else it was cut short and says nothing about the host
			b.install(nil)
		}
		report.Ready, report.Tier, report.Reason = false, plugins.TierNone, err.Error()
		return report, ctx.Err()
	}
	if !plugins.IsLabel(cfg.Instance) {
		return unready(fmt.Errorf("instance %q: letters, digits and dashes only", cfg.Instance))
	}
	s, err := parseSettings(cfg.Settings)
	if err != nil {
		return unready(err)
	}
	if _, err := cfg.Limits.Bounded(least()); err != nil {
		return unready(err)
	}
	if err := b.prepare(); err != nil {
		return unready(err)
	}
	h, err := b.inspect(ctx, s, cfg.Instance)
	if err != nil {
		return unready(err)
	}
	report.Version = h.version
	report.Enforced = enforced(h.limiter)
	if err := h.limiter.sweep(b.boxes.IsOpen); err != nil {
		return unready(fmt.Errorf("sweep what an earlier run left: %w", err))
	}
	if report.Controls, err = b.prove(ctx, h, cfg.StateDir); err != nil {
		report.Controls = []plugins.Control{{Name: "boxes can be opened", Detail: err.Error(), Fix: advise(err, here())}}
		return unready(explain(err))
	}
	if err := refute(report); err != nil {
		return unready(err)
	}
	python, runtime, err := h.identify(ctx)
	if err != nil {
		return unready(fmt.Errorf("identify the runtime: %w", err))
	}
	report.Runtime, report.Version = runtime, h.version+", Python "+python
	report.Ready, report.Tier = true, plugins.TierFull
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
	binary, err := b.guest()
	if err != nil {
		return err
	}
	b.guestFile, err = memfile.Sealed(guestName, binary)
	return err
}

func (b *Backend) install(h *host) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.host = h
}

// prove tries every control.
func (b *Backend) prove(ctx context.Context, h *host, stateDir string) ([]plugins.Control, error) {
	hidden := []string{"/etc/shadow", "/root", "/home", "/var", "/run", "/sys", "/boot", "/data", "/var/run/docker.sock"}
	if stateDir != "" {
		hidden = append(hidden, stateDir)
	}
	controls, err := h.probe(ctx, hidden)
	if err != nil {
		return nil, err
	}
	cpu, memory, err := h.strain(ctx)
	if err != nil {
		return nil, err
	}
	if h.limiter.enforced()["cpu"] == "" {
		cpu = unlimited(cpu, h.noCgroup, b.group)
	}
	return append(controls, memory, cpu), nil
}

// unlimited is the control of processor time where nothing limits it. What a box got then proves
// nothing: on a busy host everybody gets little.
func unlimited(cpu plugins.Control, noCgroup, fix string) plugins.Control {
	if noCgroup == "" {
		noCgroup = "the one there has no cpu controller"
	} else {
		noCgroup = "there is none: " + noCgroup
	}
	cpu.Proved, cpu.Detail, cpu.Fix = false, cpu.Detail+"; only a cgroup can limit it, and "+noCgroup, fix
	return cpu
}

// refute returns an error for the first control that did not hold. Processor time is optional where
// Enforced says that it isn't held: too much of it is a nuisance, not a breach.
func refute(r plugins.Report) error {
	for _, c := range r.Controls {
		if !c.Proved && !(c.Name == controlCPU && r.Enforced["cpu"] == "") {
			return fmt.Errorf("control %q did not hold: %s", c.Name, c.Detail)
		}
	}
	return nil
}

// enforced names every limit, also one that isn't held.
func enforced(l limiter) map[string]string {
	m := map[string]string{"cpu": "", "tmp": "tmpfs", "files": "rlimit"}
	maps.Copy(m, l.enforced())
	return m
}
