package profiles

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/profileview"
)

// showProfiles lists the filtered profiles.
func (h Handlers) showProfiles(c echo.Context) error {
	sh, profiles, err := h.Shell(c, "Profiles", layout.SectionProfiles)
	if err != nil {
		return err
	}
	page := profileview.ListPage{
		Shell: sh, State: app.State(c.QueryParam("state")), Text: app.Clip(strings.TrimSpace(c.QueryParam("q")), 200),
		Total: len(profiles),
	}
	var handles []string
	for _, p := range profiles {
		state := p.State(h.Now())
		if (page.State == "" || state == page.State) && uix.MatchProfile(p, page.Text) {
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
