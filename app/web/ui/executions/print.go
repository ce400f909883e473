package executions

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
)

// printExecution is an execution on paper.
func (h Handlers) printExecution(c echo.Context) error {
	ctx := c.Request().Context()
	page, err := h.executionPage(c)
	if err != nil {
		return err
	}
	chain, err := h.Access.Audit.State(ctx, false)
	if err != nil {
		return err
	}
	events, err := h.Access.Audit.List(ctx, audit.Filter{Subject: page.Execution.Handle, Limit: 1000})
	if err != nil {
		return err
	}
	slices.Reverse(events)
	return h.Render(c, http.StatusOK, executionview.Print(executionview.PrintPage{
		ExecutionPage: page, By: format.Actor(uix.Actor(c)), Events: events, Broken: chain.Broken,
		Through: chain.Through,
	}))
}
