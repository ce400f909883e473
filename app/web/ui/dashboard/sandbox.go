package dashboard

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/dashboardview"
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
		Ready: h.Ready, Checking: h.Checking, Backend: h.Backend, Tier: h.Tier, Reason: h.Reason,
		Workers: h.Workers, Running: max(h.Running-h.Opening, 0), Opening: h.Opening, Waiting: h.Waiting,
		Queued: h.Queued, Warm: h.Warm,
	}
	for _, one := range h.Backends {
		b.Backends = append(b.Backends, dashboardview.BoxBackend(one))
	}
	return b
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
