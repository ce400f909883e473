package bubblewrap

import (
	"context"
	"fmt"
	"io"
	"maps"
	"sync"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memfile"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
)

// Check implements plugins.Sandbox. It takes about 0.7 s. Open boxes stay open; until it is done,
// new ones use the previous configuration.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	report := plugins.Report{Name: Name, Tier: plugins.TierFull}
	var before, made *host
	report, err := b.ready.Check(ctx, cfg, report, func(r *plugins.Report) (_ *host, err error) {
		before, _ = b.ready.Host(Name) // no other Check runs now
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

// check sweeps leftovers of this instance, opens boxes and tries to break out.
func (b *Backend) check(ctx context.Context, cfg plugins.Config, report *plugins.Report) (_ *host, err error) {
	s, err := parseSettings(cfg.Settings)
	if err != nil {
		return nil, err
	}
	if _, err := cfg.Limits.Bound(least()); err != nil {
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
	report.Enforced = nameEnforced(h.limiter)
	if err := h.limiter.sweep(b.boxes.IsOpen); err != nil {
		return nil, fmt.Errorf("sweep what an earlier run left: %w", err)
	}
	defer func() {
		if err != nil {
			h.retire()
		}
	}()
	fresh, forked := b.proveBoth(ctx, h, s.box, cfg.StateDir)
	if fresh.err != nil {
		report.Controls = []plugins.Control{{Name: "boxes can be opened", Detail: fresh.err.Error(),
			Fix: advise(fresh.err, currentSurroundings())}}
		return nil, explain(fresh.err)
	}
	report.Controls = fresh.controls
	if err := probe.Refute(*report); err != nil {
		return nil, err
	}
	if s.box == boxTemplate {
		report.Controls = append(report.Controls, b.judgeTemplate(h, forked, *report))
		report.Templates = h.templates != nil
	}
	python, identity, err := probe.Identify(ctx, kind{h, true}.python)
	if err != nil {
		return nil, err
	}
	report.Runtime, report.Version = identity, h.version+", Python "+python
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
	b.guestFile, err = memfile.Seal("airlock-init", binary)
	return err
}

type proof struct {
	kind     kind
	controls []plugins.Control
	err      error
}

// proveBoth tries every control in fresh boxes, and in forked ones if there are templates. The
// probes run together, the limits in turn: two boxes that compute at once get little of the
// processor, limited or not.
func (b *Backend) proveBoth(ctx context.Context, h *host, box, stateDir string) (fresh, forked proof) {
	hidden := []string{"/etc/shadow", "/root", "/home", "/var", "/run", "/sys", "/boot", "/data",
		"/var/run/docker.sock"}
	if stateDir != "" {
		hidden = append(hidden, stateDir)
	}
	fresh.kind, forked.kind = kind{h, true}, kind{h, false}
	if forked.err = h.canFork(); box == boxTemplate && forked.err == nil {
		h.templates = b.newTemplates(h)
		h.templates.log = io.Discard // until it is known that boxes can be opened at all
	}
	var probing sync.WaitGroup
	if h.templates != nil {
		probing.Go(func() { forked.probe(ctx, hidden) })
	}
	fresh.probe(ctx, hidden)
	probing.Wait()
	fresh.tryLimits(ctx, b.group)
	if h.templates != nil {
		forked.tryLimits(ctx, b.group)
	}
	return fresh, forked
}

func (p *proof) probe(ctx context.Context, hidden []string) {
	p.controls, p.err = p.kind.probe(ctx, hidden)
}

// tryLimits adds the limits of processor time and memory, unless a control failed. fix says how
// processor time can be limited.
func (p *proof) tryLimits(ctx context.Context, fix string) {
	if p.err != nil {
		return
	}
	var cpu, memory plugins.Control
	if cpu, memory, p.err = p.kind.proveLimits(ctx); p.kind.limiter.listEnforced()["cpu"] == "" {
		cpu = unlimitedControl(cpu, p.kind.noCgroup, fix)
	}
	p.controls = append(p.controls, memory, cpu)
}

// judgeTemplate returns the control that says whether boxes are forked from a template. It drops
// the host's templates unless every control holds in such a box.
func (b *Backend) judgeTemplate(h *host, forked proof, report plugins.Report) plugins.Control {
	control := plugins.Control{Name: "boxes are forked from a template",
		Detail: "opened such a box, with the probe as its first process, and tried every control in it"}
	err := forked.err
	if err == nil {
		report.Controls = forked.controls
		err = probe.Refute(report)
	}
	if err != nil {
		h.retire()
		h.templates = nil
		control.NotApplicable, control.Detail = true, "boxes are opened afresh: "+err.Error()
		return control
	}
	control.Proved, h.templates.log = true, b.log
	return control
}

// unlimitedControl is the control of processor time where nothing limits it. A busy host gives
// every box little, so a low share proves nothing.
func unlimitedControl(cpu plugins.Control, noCgroup, fix string) plugins.Control {
	if noCgroup == "" {
		noCgroup = "the one there has no cpu controller"
	} else {
		noCgroup = "there is none: " + noCgroup
	}
	cpu.Proved, cpu.Detail, cpu.Fix = false, cpu.Detail+"; only a cgroup can limit it, and "+noCgroup, fix
	return cpu
}

// nameEnforced names every limit, also one that isn't held.
func nameEnforced(l limiter) map[string]string {
	m := map[string]string{"cpu": "", "tmp": "tmpfs", "files": "rlimit"}
	maps.Copy(m, l.listEnforced())
	return m
}
