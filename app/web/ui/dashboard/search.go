package dashboard

import (
	"context"
	"net/http"
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
	maxRuns     = 5  // of them executions, besides a typed handle
	shownPlaces = 9  // pages before the latest executions without a search
)

// search serves the command palette, and a page without scripts. It searches pages, actions,
// profiles, credentials, and executions by handle and words, never ids: those are tokens.
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
	found, err := h.find(c.Request().Context(), text, dashboardview.Places(sh), profiles)
	if err != nil {
		return err
	}
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

// find lists what a text finds: an execution by its handle, pages, profiles, credentials and
// executions. Without a text these are pages and the latest executions.
func (h *Handlers) find(
	ctx context.Context, text string, places []dashboardview.Found, profiles []app.Profile,
) (all []dashboardview.Found, err error) {
	if text == "" {
		return h.findRuns(ctx, executions.Filter{Limit: maxRuns}, places[:min(shownPlaces, len(places))])
	}
	if x, err := h.Engine.Reader.ByHandle(ctx, strings.ToLower(text)); err == nil {
		all = append(all, runFound(x, h.Now()))
	} else if app.CodeOf(err) != app.CodeNotFound {
		return nil, err
	}
	candidates := places
	for _, p := range profiles {
		if uix.MatchProfile(p, text) {
			state := p.State(h.Now())
			candidates = append(candidates, dashboardview.Found{
				Icon: string(state), Title: format.Title(p.Description), Note: "Profile, " + strings.ToLower(format.State(state)),
				URL: paths.ProfileURL(p.Handle), Words: text, // what it matched
			})
		}
	}
	credentials, err := h.Access.Credentials.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range credentials {
		candidates = append(candidates, dashboardview.Found{
			Icon: "key", Title: k.Name, Note: strings.TrimSuffix("Credential, "+string(k.Mode)+", "+k.Service, ", "),
			URL: paths.CredentialURL(k.Name), Words: k.Description + "\n" + uix.HostLines(k.Hosts),
		})
	}
	for _, f := range candidates {
		if uix.ContainsWords(f.Title+"\n"+f.Note+"\n"+f.Words, text) {
			all = append(all, f)
		}
	}
	return h.findRuns(ctx, executions.Filter{Text: text, Limit: maxRuns}, all)
}

// findRuns appends the executions that a filter finds.
func (h *Handlers) findRuns(
	ctx context.Context, f executions.Filter, all []dashboardview.Found,
) ([]dashboardview.Found, error) {
	list, err := h.Engine.Reader.Search(ctx, f)
	for _, x := range list.Executions {
		all = append(all, runFound(x, h.Now()))
	}
	return all, err
}
