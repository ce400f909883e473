package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

const (
	maxFound    = 20 // results that are shown
	maxRuns     = 5  // of them executions, beside one whose handle was typed
	recentAfter = 9  // pages that stand before the latest executions where nothing was typed
)

// search answers for the command palette, and as a page of its own without scripts. It looks
// through pages and actions, profiles, credentials, and executions by their handle and by words in
// them; never through ids that are tokens.
func (h *Handlers) search(c echo.Context) error {
	text := app.Clip(strings.TrimSpace(c.QueryParam("q")), 200)
	sh, profiles, err := h.Shell(c, "Search", "")
	if err != nil {
		return err
	}
	page := dashboardview.SearchPage{Shell: sh, Text: text}
	if httpx.HasToken(text) { // it isn't repeated either
		page.Text, page.Token = "", true
		return h.Render(c, http.StatusOK, dashboardview.Search(page), "results")
	}
	found, err := h.find(c.Request().Context(), text, profiles)
	if err != nil {
		return err
	}
	readable := uix.Readable(c)
	found = slices.DeleteFunc(found, func(f dashboardview.Found) bool { return !readable(f.URL) })
	page.Found = found[:min(len(found), maxFound)]
	return h.Render(c, http.StatusOK, dashboardview.Search(page), "results")
}

// runFound is an execution among the results.
func runFound(x app.Execution, now time.Time) dashboardview.Found {
	return dashboardview.Found{
		Icon: string(x.Status), Title: "Execution " + format.ShortHandle(x.Handle),
		Note: format.Title(x.Profile) + ", " + format.LowerFirst(format.Status(x.Status)) + ", " +
			format.Ago(x.CreatedAt, now),
		URL: paths.ExecutionURL(x.Handle),
	}
}

// hit is a result with its rank; a smaller one comes first.
type hit struct {
	dashboardview.Found
	rank int
}

func (h *Handlers) find(ctx context.Context, text string, profiles []app.Profile) ([]dashboardview.Found, error) {
	var hits []hit
	runs := func(f executions.Filter) error {
		list, err := h.Engine.Reader.Search(ctx, f)
		for _, x := range list.Executions {
			hits = append(hits, hit{runFound(x, h.Now()), 4})
		}
		return err
	}
	add := func(f dashboardview.Found, hay string) {
		if uix.ContainsWords(f.Title+"\n"+f.Note+"\n"+hay, text) {
			hits = append(hits, hit{f, rank(f.Title, text)})
		}
	}
	for i, p := range dashboardview.Places() {
		if text == "" && i == recentAfter {
			if err := runs(executions.Filter{Limit: maxRuns}); err != nil {
				return nil, err
			}
		}
		add(p.Found, p.Words)
	}
	if text != "" {
		for _, p := range profiles {
			state := p.State(h.Now())
			f := dashboardview.Found{
				Icon: string(state), Title: format.Title(p.Description),
				Note: "Profile, " + strings.ToLower(format.State(state)), URL: paths.ProfileURL(p.Handle),
			}
			if uix.MatchProfile(p, text) {
				hits = append(hits, hit{f, rank(f.Title, text)})
			}
		}
		credentials, err := h.Access.Credentials.List(ctx)
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
			add(dashboardview.Found{Icon: "key", Title: k.Name, Note: note, URL: paths.CredentialURL(k.Name)},
				k.Description+"\n"+strings.Join(hosts, "\n"))
		}
		if x, err := h.Engine.Reader.ByHandle(ctx, strings.ToLower(text)); err == nil {
			hits = append(hits, hit{runFound(x, h.Now()), 0})
		} else if app.CodeOf(err) != app.CodeNotFound {
			return nil, err
		}
		if err := runs(executions.Filter{Text: text, Limit: maxRuns}); err != nil {
			return nil, err
		}
	}
	if text == "" {
		for i := range hits {
			hits[i].rank = 0 // as they come
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.rank - b.rank })
	found := make([]dashboardview.Found, len(hits))
	for i, h := range hits {
		found[i] = h.Found
	}
	return found, nil
}

// rank puts a title that begins with the text before one with a word that does, and that before the
// rest.
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
