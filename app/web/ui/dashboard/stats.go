package dashboard

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h *Handlers) showStats(c echo.Context) error {
	chosen := dashboardview.Periods()[0]
	if text := c.QueryParam("period"); text != "" {
		found := false
		for _, p := range dashboardview.Periods() {
			if p.Value == text {
				chosen, found = p, true
			}
		}
		if !found {
			return app.Invalid("period", "this period is not known", "Choose one of 24h, 7d, 30d.")
		}
	}
	sh, _, err := h.Shell(c, "Statistics", layout.SectionStatistics)
	if err != nil {
		return err
	}
	usage, err := h.usage(c.Request().Context(), chosen)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, dashboardview.Stats(dashboardview.StatsPage{Shell: sh, Usage: usage}), "stats")
}

func (h *Handlers) usage(ctx context.Context, p dashboardview.Period) (dashboardview.Usage, error) {
	period := map[string]executions.Period{
		"24h": executions.Day24(), "7d": executions.Days7(), "30d": executions.Days30(),
	}[p.Value]
	u, err := h.Engine.Statistics.Usage(ctx, period)
	if err != nil {
		return dashboardview.Usage{}, err
	}
	out := dashboardview.Usage{Period: p, Runs: u.Total.Runs, Figures: figuresOf(u.Total, u.Before)}
	for _, b := range u.Bars {
		out.Bars = append(out.Bars, dashboardview.UsageBar(b))
	}
	for _, one := range u.Profiles {
		out.Profiles = append(out.Profiles, dashboardview.ProfileUsage{
			Name: one.Profile, URL: paths.ExecutionsOf(one.Handle), Runs: one.Runs, Failed: one.Failed,
			Average: one.Average, P95: one.P95,
		})
	}
	return out, nil
}

// figuresOf compares a period's numbers with the previous one's.
func figuresOf(now, before executions.Figures) []dashboardview.Figure {
	runs := changed("Runs", float64(now.Runs), float64(before.Runs))
	runs.Value = format.Number(now.Runs)
	failed := dashboardview.Figure{Name: "Error rate", Value: "–"}
	if now.Runs > 0 {
		failed.Value = format.Percent(now.ErrorRate()) + "%"
		if before.Runs > 0 {
			failed.Change = "unchanged"
			if points := (now.ErrorRate() - before.ErrorRate()) * 100; points >= 0.1 || points <= -0.1 {
				failed.Trend, failed.Worse = trend(points), points > 0
				failed.Change = strconv.FormatFloat(max(points, -points), 'f', 1, 64) + " points " + moreOrLess(points)
			}
		}
	}
	average := runTimeFigure("Average", now.Average, before.Average)
	slow := runTimeFigure("95th percentile", now.P95, before.P95)
	average.Aside = true
	active := changed("Active profiles", float64(now.Profiles), float64(before.Profiles))
	active.Value = strconv.Itoa(now.Profiles)
	if d := now.Profiles - before.Profiles; active.Trend != "" {
		active.Change = strconv.Itoa(max(d, -d)) + " " + moreOrLess(float64(d))
	}
	all := []dashboardview.Figure{runs, failed, average, slow, active}
	if before.Runs == 0 { // nothing to compare with
		for i := range all {
			all[i].Change, all[i].Trend, all[i].Worse = "", "", false
		}
	}
	return all
}

func runTimeFigure(name string, now, before time.Duration) dashboardview.Figure {
	f := changed(name, float64(now), float64(before))
	f.Value, f.Worse = "–", f.Trend == "up"
	if now > 0 {
		f.Value = format.Span(now)
	}
	return f
}

// changed says how a number changed, in percent.
func changed(name string, now, before float64) dashboardview.Figure {
	f := dashboardview.Figure{Name: name}
	switch {
	case now == before:
		f.Change = "unchanged"
	case before > 0:
		f.Trend = trend(now - before)
		f.Change = strconv.FormatFloat(max(now-before, before-now)/before*100, 'f', 0, 64) + "% " +
			moreOrLess(now-before)
	}
	return f
}

func trend(d float64) string {
	if d > 0 {
		return "up"
	}
	return "down"
}

func moreOrLess(d float64) string {
	if d > 0 {
		return "more"
	}
	return "less"
}
