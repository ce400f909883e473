package profiles

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

// showProfiles lists the filtered profiles.
func (h Handlers) showProfiles(c echo.Context) error {
	sh, profiles, err := h.Shell(c, "Profiles", layout.SectionProfiles)
	if err != nil {
		return err
	}
	q := uix.Query(c, "q", "state")
	page := profileview.ListPage{
		Shell: sh, Query: q, Here: uix.Address(paths.Profiles, q), Total: len(profiles),
	}
	var handles []string
	for _, p := range profiles {
		state := p.State(h.Now())
		if wanted := app.State(q.Get("state")); (wanted == "" || state == wanted) && uix.MatchProfile(p, q.Get("q")) {
			page.Profiles = append(page.Profiles, profileview.ListRow{Profile: p, State: state})
			handles = append(handles, p.Handle)
		}
	}
	beats, err := h.Engine.Statistics.Recent(c.Request().Context(), handles...)
	if err != nil {
		return err
	}
	for i, r := range page.Profiles {
		page.Profiles[i].Beats = viewBeats(beats[r.Profile.Handle])
	}
	return h.Render(c, http.StatusOK, profileview.List(page), "profiles")
}

func viewBeats(beats []store.Outcome) []profileview.Beat {
	list := make([]profileview.Beat, len(beats))
	for i, b := range beats {
		list[i] = profileview.Beat(b)
	}
	return list
}
