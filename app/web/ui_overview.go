package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/views/dashboard"
	"github.com/computclaw/airlock/views/layout"
)

func (s *Server) showOverview(c echo.Context) error {
	ctx := c.Request().Context()
	sh, profiles, err := s.shell(c, "Overview", layout.SectionOverview)
	if err != nil {
		return err
	}
	found, err := s.cfg.Engine.Search(ctx, engine.Filter{Limit: 10})
	if err != nil {
		return err
	}
	needs, err := s.needs(ctx, profiles)
	if err != nil {
		return err
	}
	page := dashboard.OverviewPage{Shell: sh, Executions: found.Executions, Box: boxState(s.cfg.Engine.Health()), Needs: needs, Step: firstStep(profiles, found.Executions)}
	if page.Step == 0 {
		if page.Usage, err = s.usage(ctx, dashboard.Periods()[0]); err != nil {
			return err
		}
	}
	return s.render(c, http.StatusOK, dashboard.Overview(page), "overview")
}

// firstStep is where somebody new stands, or 0 when scripts have run.
func firstStep(profiles []app.Profile, executions []app.Execution) int {
	switch {
	case len(executions) > 0:
		return 0
	case slices.ContainsFunc(profiles, func(p app.Profile) bool { return p.Locked }):
		return 3
	case len(profiles) > 0:
		return 2
	}
	return 1
}

func (s *Server) showSandbox(c echo.Context) error {
	sh, _, err := s.shell(c, "Sandbox", layout.SectionSandbox)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, dashboard.Sandbox(dashboard.SandboxPage{Shell: sh, Box: boxState(s.cfg.Engine.Health())}), "boxes")
}

func boxState(h engine.Health) dashboard.BoxState {
	b := dashboard.BoxState{
		Ready: h.Ready, Checking: h.Checking, Backend: h.Backend, Tier: h.Tier, Reason: sentence(h.Reason),
		Workers: h.Workers, Running: max(h.Running-h.Opening, 0), Opening: h.Opening, Waiting: h.Waiting, Queued: h.Queued, Warm: h.Warm,
	}
	for _, one := range h.Backends {
		b.Backends = append(b.Backends, boxBackend(one))
	}
	return b
}

func boxBackend(h engine.BackendHealth) dashboard.BoxBackend {
	v := dashboard.BoxBackend{
		Name: h.Name, Checking: h.Checking, Version: h.Report.Version, Tier: string(h.Report.Tier), InUse: h.InUse, Default: h.Default, Passed: h.Passed, Again: h.Again, Reason: sentence(h.Reason),
		Proved: h.Proved, Runtime: h.Report.Runtime, Warm: h.Warm, Images: slices.Sorted(maps.Keys(h.Images)),
	}
	for _, c := range h.Report.Controls {
		v.Proofs = append(v.Proofs, dashboard.Proof{Name: strings.ReplaceAll(c.Name, "_", " "), Proved: c.Proved, NotApplicable: c.NotApplicable, Detail: c.Detail, Fix: c.Fix})
	}
	for name, how := range h.Report.Enforced {
		v.Limits = append(v.Limits, dashboard.Limit{Name: strings.ReplaceAll(name, "_", " "), How: how})
	}
	slices.SortFunc(v.Limits, func(x, y dashboard.Limit) int { return strings.Compare(x.Name, y.Name) })
	return v
}
