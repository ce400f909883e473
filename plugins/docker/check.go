package docker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/owner"
	"github.com/computclaw/airlock/plugins/seccomp"
)

// Check implements plugins.Sandbox. It sweeps what an earlier process of the same instance left
// behind, prepares the images, opens boxes and tries to break out of them. It takes a few seconds.
// Boxes that are open stay so, and until it is done others are opened under the previous
// configuration.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	b.checking.Lock()
	defer b.checking.Unlock()
	report := plugins.Report{Name: Name, Version: "not reached", Tier: plugins.TierNone}
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
	self, err := owner.Self()
	if err != nil {
		return unready(err)
	}
	h := &host{
		guest: b.guest, clearing: b.clearing, instance: cfg.Instance, owner: self, settings: s,
		missing: map[string]error{}, profiles: map[string]string{},
	}
	if h.engine, err = connect(ctx, s); err != nil {
		return unready(err)
	}
	report.Version = h.describe()
	if err := h.sweep(ctx, cfg.Instance, b.boxes.IsOpen); err != nil {
		return unready(fmt.Errorf("sweep what an earlier run left: %w", explain(err)))
	}
	absent, err := h.prepare(ctx)
	if err != nil {
		return unready(err)
	}
	if report.Controls, err = h.prove(ctx, cfg.StateDir); err != nil {
		return unready(fmt.Errorf("boxes cannot be opened here: %w", err))
	}
	report.Enforced = enforced(report.Controls)
	if err := refute(report); err != nil {
		return unready(err)
	}
	report.Controls = append(report.Controls, absent...)
	report.Ready, report.Tier, report.Runtime = true, plugins.TierFull, h.images[0].id
	report.Images = h.choices()
	b.install(h)
	return report, nil
}

func (h *host) describe() string {
	if h.settings.runtime == "" {
		return h.version
	}
	return h.version + ", runtime " + h.settings.runtime
}

// prepare resolves and derives the images that the operator listed. Only the first has to be there;
// each other one that isn't becomes a control that says what to do.
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
				c.Detail, c.Fix = missing.what(), missing.advice()
			}
			absent = append(absent, c)
		}
	}
	return absent, nil
}

// choices are the images that are ready, by the names the operator gave them, with their ids.
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

// prove tries every control.
func (h *host) prove(ctx context.Context, stateDir string) ([]plugins.Control, error) {
	hidden := []string{}
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
	return append(controls, memory, cpu), nil
}

// optional are controls whose failure is a nuisance and not a breach.
func optional() []string { return []string{controlCPU} }

// refute returns an error for the first control that did not hold.
func refute(r plugins.Report) error {
	for _, c := range r.Controls {
		if !c.Proved && !slices.Contains(optional(), c.Name) {
			return fmt.Errorf("control %q did not hold: %s", c.Name, strings.TrimSuffix(c.Detail+"; "+c.Fix, "; "))
		}
	}
	if len(r.Controls) == 0 {
		return errors.New("no control was tried")
	}
	return nil
}

// enforced says how limits are held. Those that aren't optional have been proved, or the backend
// isn't ready.
func enforced(controls []plugins.Control) map[string]string {
	m := map[string]string{"memory": "cgroup", "pids": "cgroup", "cpu": "cgroup", "tmp": "tmpfs", "files": "rlimit"}
	for _, c := range controls {
		if c.Name == controlCPU && !c.Proved {
			m["cpu"] = ""
		}
	}
	return m
}
