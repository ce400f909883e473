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
	maxRuns     = 5  // of them executions, besides a typed handle
	recentAfter = 9  // pages before the latest executions without a search
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

// hit is a result with its rank; smaller ranks come first.
type hit struct {
	dashboardview.Found
	rank int
}

// finder gathers what a text finds.
type finder struct {
	*Handlers
	text   string
	places []dashboardview.Place
	hits   []hit
}

func (h *Handlers) find(
	ctx context.Context, text string, places []dashboardview.Place, profiles []app.Profile,
) ([]dashboardview.Found, error) {
	f := finder{Handlers: h, text: text, places: places}
	var err error
	if text == "" {
		err = f.recent(ctx)
	} else {
		err = f.named(ctx, profiles)
		slices.SortStableFunc(f.hits, func(a, b hit) int { return a.rank - b.rank })
	}
	if err != nil {
		return nil, err
	}
	found := make([]dashboardview.Found, len(f.hits))
	for i, h := range f.hits {
		found[i] = h.Found
	}
	return found, nil
}

// recent lists all places and the newest executions.
func (f *finder) recent(ctx context.Context) error {
	for i, p := range f.places {
		if i == recentAfter {
			if err := f.runs(ctx, executions.Filter{Limit: maxRuns}); err != nil {
				return err
			}
		}
		f.add(p.Found, p.Words)
	}
	return nil
}

// named finds the text in names and words.
func (f *finder) named(ctx context.Context, profiles []app.Profile) error {
	for _, p := range f.places {
		f.add(p.Found, p.Words)
	}
	for _, p := range profiles {
		if uix.MatchProfile(p, f.text) {
			title := format.Title(p.Description)
			f.hits = append(f.hits, hit{dashboardview.Found{
				Icon: string(p.State(f.Now())), Title: title,
				Note: "Profile, " + strings.ToLower(format.State(p.State(f.Now()))), URL: paths.ProfileURL(p.Handle),
			}, rank(title, f.text)})
		}
	}
	if err := f.credentials(ctx); err != nil {
		return err
	}
	if x, err := f.Engine.Reader.ByHandle(ctx, strings.ToLower(f.text)); err == nil {
		f.hits = append(f.hits, hit{runFound(x, f.Now()), 0})
	} else if app.CodeOf(err) != app.CodeNotFound {
		return err
	}
	return f.runs(ctx, executions.Filter{Text: f.text, Limit: maxRuns})
}

func (f *finder) credentials(ctx context.Context) error {
	list, err := f.Access.Credentials.List(ctx)
	if err != nil {
		return err
	}
	for _, k := range list {
		words := []string{k.Description}
		for _, h := range k.Hosts {
			words = append(words, h.Name)
		}
		note := "Credential, " + string(k.Mode)
		if k.Service != "" {
			note += ", " + k.Service
		}
		f.add(dashboardview.Found{Icon: "key", Title: k.Name, Note: note, URL: paths.CredentialURL(k.Name)},
			strings.Join(words, "\n"))
	}
	return nil
}

func (f *finder) runs(ctx context.Context, filter executions.Filter) error {
	list, err := f.Engine.Reader.Search(ctx, filter)
	for _, x := range list.Executions {
		f.hits = append(f.hits, hit{runFound(x, f.Now()), 4})
	}
	return err
}

// add adds a match of title, note or words.
func (f *finder) add(found dashboardview.Found, words string) {
	if uix.ContainsWords(found.Title+"\n"+found.Note+"\n"+words, f.text) {
		f.hits = append(f.hits, hit{found, rank(found.Title, f.text)})
	}
}

// rank orders titles that begin with the text, then words, then the rest.
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
