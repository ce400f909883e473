package bubblewrap

import (
	"context"
	"fmt"
	"maps"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memfile"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
)

// Check implements plugins.Sandbox. It takes about a second. Open boxes stay open, and until it is
// done others are opened under the previous configuration.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	report := plugins.Report{Name: Name, Tier: plugins.TierFull}
	before, _ := b.ready.Host(Name)
	var made *host
	report, err := b.ready.Check(ctx, cfg, report, func(r *plugins.Report) (_ *host, err error) {
		made, err = b.check(ctx, cfg, r)
		return made, err
	})
	now, _ := b.ready.Host(Name)
	for _, h := range []*host{before, made} {
		if h != now {
			h.retire()
		}
	}
	return report, err
}

// check sweeps what earlier processes of this instance left, opens boxes and tries to break out.
func (b *Backend) check(ctx context.Context, cfg plugins.Config, report *plugins.Report) (*host, error) {
	s, err := parseSettings(cfg.Settings)
	if err != nil {
		return nil, err
	}
	if _, err := cfg.Limits.Bounded(least()); err != nil {
		return nil, err
	}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	h, err := b.inspect(ctx, s, cfg.Instance)
	if err != nil {
		return nil, err
	}
	report.Version = h.version
	report.Enforced = enforced(h.limiter)
	if err := h.limiter.sweep(b.boxes.IsOpen); err != nil {
		return nil, fmt.Errorf("sweep what an earlier run left: %w", err)
	}
	if report.Controls, err = b.prove(ctx, h, cfg.StateDir); err != nil {
		report.Controls = []plugins.Control{{Name: "boxes can be opened", Detail: err.Error(),
			Fix: advise(err, here())}}
		return nil, explain(err)
	}
	if err := probe.Refute(*report); err != nil {
		return nil, err
	}
	if s.box == boxTemplate {
		b.proveTemplate(ctx, h, cfg.StateDir, report)
		report.Templates = h.templates != nil
	}
	python, runtime, err := h.identify(ctx)
	if err != nil {
		h.retire()
		return nil, fmt.Errorf("identify the runtime: %w", err)
	}
	report.Runtime, report.Version = runtime, h.version+", Python "+python
	return h, nil
}

// prepare makes what all boxes share, once.
func (b *Backend) prepare() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.guestFile != nil {
		return nil
	}
	if err := stdio.CloseOnExec(); err != nil {
		return err
	}
	binary, err := b.guest()
	if err != nil {
		return err
	}
	b.guestFile, err = memfile.Sealed("airlock-init", binary)
	return err
}

// prove tries every control.
func (b *Backend) prove(ctx context.Context, h *host, stateDir string) ([]plugins.Control, error) {
	hidden := []string{"/etc/shadow", "/root", "/home", "/var", "/run", "/sys", "/boot", "/data",
		"/var/run/docker.sock"}
	if stateDir != "" {
		hidden = append(hidden, stateDir)
	}
	controls, err := h.probe(ctx, hidden)
	if err != nil {
		return nil, err
	}
	cpu, memory, err := h.proveLimits(ctx)
	if err != nil {
		return nil, err
	}
	if h.limiter.enforced()["cpu"] == "" {
		cpu = unlimited(cpu, h.noCgroup, b.group)
	}
	return append(controls, memory, cpu), nil
}

// proveTemplate has the host make boxes from a template, if every control holds in such a box too.
func (b *Backend) proveTemplate(ctx context.Context, h *host, stateDir string, report *plugins.Report) {
	err := h.canFork()
	if err == nil {
		h.templates = b.newTemplates(h)
		err = b.proveForked(ctx, h, stateDir, *report)
	}
	control := plugins.Control{Name: "boxes are forked from a template", Proved: err == nil,
		Detail: "opened such a box and tried every control in it"}
	if err != nil {
		h.retire()
		h.templates = nil
		control.NotApplicable, control.Detail = true, "boxes are opened afresh: "+err.Error()
	}
	report.Controls = append(report.Controls, control)
}

// proveForked returns an error if a control doesn't hold, or a box was opened afresh.
func (b *Backend) proveForked(ctx context.Context, h *host, stateDir string, report plugins.Report) (err error) {
	if report.Controls, err = b.prove(ctx, h, stateDir); err != nil {
		return err
	}
	if err := h.templates.failure(); err != nil {
		return err
	}
	return probe.Refute(report)
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

// enforced names every limit, also one that isn't held.
func enforced(l limiter) map[string]string {
	m := map[string]string{"cpu": "", "tmp": "tmpfs", "files": "rlimit"}
	maps.Copy(m, l.enforced())
	return m
}
