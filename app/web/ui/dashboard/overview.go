package dashboard

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/layout"
)

func (h *Handlers) showOverview(c echo.Context) error {
	ctx := c.Request().Context()
	sh, profiles, err := h.Shell(c, "Overview", layout.SectionOverview)
	if err != nil {
		return err
	}
	found, err := h.Engine.Reader.Search(ctx, executions.Filter{Limit: 10})
	if err != nil {
		return err
	}
	needs, err := h.Needs(ctx, profiles)
	if err != nil {
		return err
	}
	page := dashboardview.OverviewPage{
		Shell: sh, Executions: found.Executions, Box: boxState(h.Engine.Health()), Needs: needs,
		Step: firstStep(profiles, found.Executions),
	}
	if page.Summaries, err = h.Summaries(ctx, found.Executions, ""); err != nil {
		return err
	}
	if page.Step == 0 {
		if page.Usage, err = h.usage(ctx, dashboardview.Periods()[0]); err != nil {
			return err
		}
	}
	page.Live = uix.Partial(c)
	if page.Checks, err = h.checks(ctx, page.Box); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, dashboardview.Overview(page), "overview", "checks")
}

// firstStep returns a newcomer's step, or 0 once scripts have run.
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
