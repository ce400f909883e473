package api

import (
	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// advise fits a ledger's hints to the profile's present hosts, ports and page.
func (h *Handlers) advise(c echo.Context, x app.Execution, network []connectionView) {
	if len(network) == 0 {
		return
	}
	p, err := h.Access.Profiles.ByHandle(c.Request().Context(), x.ProfileHandle)
	if err != nil {
		return // the profile is gone; keep the hints
	}
	a := rules.Advice{Profile: p, SetupURL: h.Origins.BaseURL(c.Request()) + "/ui/profiles/" + p.Handle}
	for i, v := range network {
		row := app.Connection{Host: v.Host, Port: v.Port, Verdict: v.Verdict, Rule: v.Rule}
		if why := a.Explain(row); why != nil {
			network[i].Hint = why.Hint
		} else {
			network[i].Hint = a.Note(row)
		}
	}
}
