package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/profileview"
)

// showProfiles lists those that the filters in the address let through.
func (s *Server) showProfiles(c echo.Context) error {
	sh, profiles, err := s.shell(c, "Profiles", layout.SectionProfiles)
	if err != nil {
		return err
	}
	page := profileview.ListPage{Shell: sh, State: app.State(c.QueryParam("state")), Text: app.Clip(strings.TrimSpace(c.QueryParam("q")), 200), Total: len(profiles)}
	var handles []string
	for _, p := range profiles {
		if profileMatches(p, page.State, page.Text, s.cfg.Now()) {
			page.Profiles = append(page.Profiles, profileview.ListRow{Profile: p, State: p.State(s.cfg.Now())})
			handles = append(handles, p.Handle)
		}
	}
	beats, err := s.cfg.Engine.Beats(c.Request().Context(), handles...)
	if err != nil {
		return err
	}
	for i, r := range page.Profiles {
		page.Profiles[i].Beats = viewBeats(beats[r.Profile.Handle])
	}
	return s.render(c, http.StatusOK, profileview.List(page), "profiles")
}

// profileMatches looks for every word of text in a profile's name, keys, credentials, hosts and handle. Never in its id, which is a token.
func profileMatches(p app.Profile, state app.State, text string, now time.Time) bool {
	if state != "" && p.State(now) != state {
		return false
	}
	hay := []string{p.Description, p.Handle, p.PairingCode}
	for _, k := range p.Keys {
		hay = append(hay, k.Name, k.Credential)
	}
	for _, h := range p.Hosts {
		hay = append(hay, h.Name)
	}
	return containsWords(strings.Join(hay, "\n"), text)
}

// containsWords reports whether every word of text stands somewhere in hay, in whatever case.
func containsWords(hay, text string) bool {
	hay = strings.ToLower(hay)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(hay, word) {
			return false
		}
	}
	return true
}

func viewBeats(beats []store.Outcome) []profileview.Beat {
	list := make([]profileview.Beat, len(beats))
	for i, b := range beats {
		list[i] = profileview.Beat{Handle: b.Handle, Status: b.Status, At: b.CreatedAt, Took: b.RunTime}
	}
	return list
}
