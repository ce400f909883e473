package docker

import (
	"context"
	"errors"
	"fmt"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/owner"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/seccomp"
)

// Check implements plugins.Sandbox. It takes a few seconds. Open boxes stay open; until it is done,
// new ones use the previous configuration.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	report := plugins.Report{Name: Name, Version: "not reached", Tier: plugins.TierFull}
	return b.ready.Check(ctx, cfg, report, func(r *plugins.Report) (*host, error) { return b.check(ctx, cfg, r) })
}

// check sweeps leftovers of this instance, prepares the images, opens boxes and tries to break out.
func (b *Backend) check(ctx context.Context, cfg plugins.Config, report *plugins.Report) (*host, error) {
	s, err := parseSettings(cfg.Settings)
	if err != nil {
		return nil, err
	}
	if _, err := cfg.Limits.Bound(least()); err != nil {
		return nil, err
	}
	self, err := owner.Self()
	if err != nil {
		return nil, err
	}
	h := &host{
		guest: b.guest, remover: b.remover, instance: cfg.Instance, owner: self, settings: s,
		missing: map[string]error{}, profiles: map[string]string{},
	}
	if h.engine, err = connect(ctx, s); err != nil {
		return nil, err
	}
	report.Version = h.describe()
	if err := h.sweep(ctx, cfg.Instance, b.boxes.IsOpen); err != nil {
		return nil, fmt.Errorf("sweep what an earlier run left: %w", explain(err))
	}
	absent, err := h.prepare(ctx)
	if err != nil {
		return nil, err
	}
	if report.Controls, err = h.prove(ctx, cfg.StateDir); err != nil {
		return nil, fmt.Errorf("boxes cannot be opened here: %w", err)
	}
	report.Enforced, report.Notes = nameEnforced(report.Controls), s.notes()
	if err := probe.Refute(*report); err != nil {
		return nil, err
	}
	report.Controls = append(report.Controls, absent...)
	report.Runtime, report.Images = h.images[0].id, h.choices()
	return h, nil
}

func (h *host) describe() string {
	if h.settings.runtime == "" {
		return h.version
	}
	return h.version + ", runtime " + h.settings.runtime
}

// prepare resolves and derives the operator's images. Only the first is required; each other absent
// one becomes a control with a fix.
func (h *host) prepare(ctx context.Context) (absent []plugins.Control, err error) {
	for n, name := range h.settings.images {
		i, err := h.prepareOne(ctx, name)
		switch {
		case err == nil:
			h.images = append(h.images, i)
		case n == 0:
			return nil, err
		default:
			h.missing[name] = err
			c := plugins.Control{Name: "image " + name + " is ready", Detail: err.Error()}
			if missing := (missingImage{}); errors.As(err, &missing) {
				c.Detail, c.Fix = missing.text(), missing.advice()
			}
			absent = append(absent, c)
		}
	}
	return absent, nil
}

// choices are the ids of images that are ready, by the operator's names.
func (h *host) choices() map[string]string {
	list := make(map[string]string, len(h.images))
	for _, i := range h.images {
		list[i.name] = i.id
	}
	return list
}

func (h *host) prepareOne(ctx context.Context, name string) (*image, error) {
	i, err := h.findImage(ctx, name)
	if err != nil {
		return nil, err
	}
	profile, err := seccomp.Profile(i.arch)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", name, err)
	}
	h.profiles[i.arch] = string(profile)
	if err := h.derive(ctx, i); err != nil {
		return nil, err
	}
	h.dropOld(ctx, i)
	return i, nil
}

func (h *host) prove(ctx context.Context, stateDir string) ([]plugins.Control, error) {
	hidden := []string{}
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
	return append(controls, memory, cpu), nil
}

// nameEnforced says how limits are held. Check has proved all that aren't optional.
func nameEnforced(controls []plugins.Control) map[string]string {
	m := map[string]string{"memory": "cgroup", "pids": "cgroup", "cpu": "cgroup", "tmp": "tmpfs", "files": "rlimit"}
	for _, c := range controls {
		if c.Name == probe.ControlCPU && !c.Proved {
			m["cpu"] = ""
		}
	}
	return m
}
