package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// maxFound is how many results are shown.
const maxFound = 20

// search answers for the command palette, and as a page of its own without scripts. It looks through pages and actions, profiles, credentials, and executions by their
// handle; never through ids that are tokens.
func (s *Server) search(c echo.Context) error {
	text := app.Clip(strings.TrimSpace(c.QueryParam("q")), 200)
	sh, profiles, err := s.shell(c, "Search", "")
	if err != nil {
		return err
	}
	page := views.SearchPage{Shell: sh, Text: text}
	if tokenShape.MatchString(text) { // it isn't repeated either
		page.Text, page.Token = "", true
		return s.render(c, http.StatusOK, views.SearchView(page), "results")
	}
	found, err := s.find(c.Request().Context(), text, profiles)
	if err != nil {
		return err
	}
	page.Found = found[:min(len(found), maxFound)]
	return s.render(c, http.StatusOK, views.SearchView(page), "results")
}

// hit is a result with its rank; a smaller one comes first.
type hit struct {
	views.Found
	rank int
}

func (s *Server) find(ctx context.Context, text string, profiles []app.Profile) ([]views.Found, error) {
	var hits []hit
	add := func(f views.Found, hay string) {
		if containsWords(f.Title+"\n"+f.Note+"\n"+hay, text) {
			hits = append(hits, hit{f, rank(f.Title, text)})
		}
	}
	for _, f := range views.Places() {
		add(f, "")
	}
	if text != "" {
		for _, p := range profiles {
			state := p.State(s.cfg.Now())
			f := views.Found{Icon: string(state), Title: views.Title(p.Description), Note: "Profile, " + strings.ToLower(views.StateWord(state)), URL: views.ProfileURL(p.Handle)}
			if profileMatches(p, "", text, s.cfg.Now()) {
				hits = append(hits, hit{f, rank(f.Title, text)})
			}
		}
		credentials, err := s.cfg.Access.Credentials(ctx)
		if err != nil {
			return nil, err
		}
		for _, k := range credentials {
			var hosts []string
			for _, h := range k.Hosts {
				hosts = append(hosts, h.Name)
			}
			note := "Credential, " + string(k.Mode)
			if k.Service != "" {
				note += ", " + k.Service
			}
			add(views.Found{Icon: "key", Title: k.Name, Note: note, URL: views.CredentialURL(k.Name)}, k.Description+"\n"+strings.Join(hosts, "\n"))
		}
		if x, err := s.cfg.Engine.ByHandle(ctx, strings.ToLower(text)); err == nil {
			hits = append(hits, hit{views.Found{Icon: string(x.Status), Title: "Execution " + views.Short(x.Handle), Note: x.Profile, URL: views.ExecutionURL(x.Handle)}, 0})
		} else if app.CodeOf(err) != app.CodeNotFound {
			return nil, err
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.rank - b.rank })
	found := make([]views.Found, len(hits))
	for i, h := range hits {
		found[i] = h.Found
	}
	return found, nil
}

// rank puts a title that begins with the text before one with a word that does, and that before the rest.
func rank(title, text string) int {
	title, text = strings.ToLower(title), strings.ToLower(text)
	switch {
	case strings.HasPrefix(title, text):
		return 1
	case strings.Contains(" "+strings.ReplaceAll(title, "_", " "), " "+text):
		return 2
	}
	return 3
}
