package dashboard

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/layout"
)

func (h *Handlers) showStats(c echo.Context) error {
	periods := dashboardview.Periods()
	chosen := 0
	if text := c.QueryParam("period"); text != "" {
		chosen = slices.IndexFunc(periods, func(p dashboardview.Period) bool { return p.Value == text })
		if chosen < 0 {
			return app.Invalid("period", "this period is not known", "Choose one of 24h, 7d, 30d.")
		}
	}
	sh, _, err := h.Shell(c, "Statistics", layout.SectionStatistics)
	if err != nil {
		return err
	}
	usage, err := h.usage(c.Request().Context(), periods[chosen])
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, dashboardview.Stats(dashboardview.StatsPage{Shell: sh, Usage: usage}), "stats")
}

func (h *Handlers) usage(ctx context.Context, p dashboardview.Period) (dashboardview.Usage, error) {
	u, err := h.Engine.Statistics.Usage(ctx, p.Bars, p.Width)
	return dashboardview.Usage{Usage: u, Period: p}, err
}
