package dashboard

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h *Handlers) showSandbox(c echo.Context) error {
	sh, _, err := h.Shell(c, "Sandbox", layout.SectionSandbox)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, dashboardview.Sandbox(dashboardview.SandboxPage{Shell: sh,
		Box: boxState(h.Engine.Health())}), "boxes")
}

func boxState(h engine.Health) dashboardview.BoxState {
	b := dashboardview.BoxState{
		Ready: h.Ready, Checking: h.Checking, Backend: h.Backend, Tier: h.Tier, Reason: format.Sentence(h.Reason),
		Workers: h.Workers, Running: max(h.Running-h.Opening,
			0), Opening: h.Opening, Waiting: h.Waiting, Queued: h.Queued, Warm: h.Warm,
	}
	for _, one := range h.Backends {
		b.Backends = append(b.Backends, boxBackend(one))
	}
	return b
}

func boxBackend(h sandbox.BackendHealth) dashboardview.BoxBackend {
	v := dashboardview.BoxBackend{
		Name: h.Name, Checking: h.Checking, Version: h.Report.Version, Tier: string(h.Report.Tier), InUse: h.InUse,
		Default: h.Default, Passed: h.Passed, Again: h.Again, Reason: format.Sentence(h.Reason),
		Proved: h.Proved, Runtime: h.Report.Runtime, Warm: h.Warm, Afresh: h.Afresh,
		Images: slices.Sorted(maps.Keys(h.Images)),
	}
	for _, c := range h.Report.Controls {
		v.Proofs = append(v.Proofs, dashboardview.Proof{
			Name: strings.ReplaceAll(c.Name, "_", " "), Proved: c.Proved, NotApplicable: c.NotApplicable,
			Detail: c.Detail, Fix: c.Fix,
		})
	}
	for name, how := range h.Report.Enforced {
		v.Limits = append(v.Limits, dashboardview.Limit{Name: strings.ReplaceAll(name, "_", " "), How: how})
	}
	slices.SortFunc(v.Limits, func(x, y dashboardview.Limit) int { return strings.Compare(x.Name, y.Name) })
	return v
}

// proveSandbox proves every backend again on request.
func (h *Handlers) proveSandbox(c echo.Context) error {
	ctx := c.Request().Context()
	if err := h.Engine.Sandboxes.Prove(ctx, ""); err != nil && ctx.Err() == nil {
		return err
	}
	// The proof counts even if the browser left.
	if err := h.Access.Audit.Note(context.WithoutCancel(ctx), uix.Actor(c), "sandbox.prove", "sandbox",
		"Proved every backend again."); err != nil {
		return err
	}
	return h.Done(c, "proved", paths.Sandbox)
}
