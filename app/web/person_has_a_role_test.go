package web

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// as logs in as a person with a role.
func (s *uiSite) as(role app.Role) *uiSite {
	s.t.Helper()
	ctx := s.t.Context()
	token, _, err := s.access.Invitations.Create(ctx, s.person, role)
	s.must(err)
	half, err := s.access.Enrollment.Enroll(ctx, "192.0.2.3", "", token)
	s.must(err)
	opened, err := s.access.Enrollment.Join(ctx, half.Token, "192.0.2.3", "", "the "+string(role), app.NewSecret(uiPassword))
	s.must(err)
	jar, err := cookiejar.New(nil)
	s.must(err)
	jar.SetCookies(mustURL(s.t, s.web.URL+paths.Root), []*http.Cookie{{Name: uix.SessionCookie,
		Value: opened.Token.Reveal(), Path: paths.Root}})
	other := *s
	other.client = &http.Client{Jar: jar, CheckRedirect: s.client.CheckRedirect}
	return &other
}

// status returns a request's HTTP status without reading streams.
func (s *uiSite) status(method, path string, form url.Values) int {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.web.URL+path, strings.NewReader(form.Encode()))
	s.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := s.client.Do(r)
	s.must(err)
	_ = res.Body.Close()
	return res.StatusCode
}

// leastRole returns a route's least role by the rules of SECURITY.md and docs/ui.md.
func leastRole(method, path string) app.Role {
	under := func(list ...string) bool {
		return slices.ContainsFunc(list, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
	}
	switch {
	case path == paths.TransferPath && method == http.MethodGet: // a backup's progress, too
		return app.RoleOperator
	case under(paths.SettingsPeople, paths.SettingsInvite, paths.Settings+"/invitations", paths.SettingsMove):
		return app.RoleOwner // people, export, import, restore
	case path == paths.SettingsBackups && method == http.MethodPost:
		return app.RoleOwner // the settings of backups
	case under(paths.SettingsBackups):
		return app.RoleOperator
	case slices.Contains([]string{paths.Confirm, paths.PasskeyConfirm, paths.SettingsPasskeys, paths.PasskeyRemove, paths.PasskeyRename,
		paths.SettingsPassword, paths.SettingsTheme, paths.SettingsKeys, paths.SettingsSession, paths.SettingsSessions},
		path):
		return app.RoleViewer // their own account
	case method == http.MethodPost:
		return app.RoleOperator // decisions
	case slices.Contains([]string{paths.CredentialNew, paths.CredentialPaste, paths.CredentialPreview,
		paths.CredentialDelete, paths.SkillDelete, paths.ProfileNew, paths.ProfileLock, paths.ProfileRevoke, paths.ProfileDelete}, path):
		return app.RoleOperator // pages that only ask for a decision
	}
	return app.RoleViewer
}

// routesOf returns a server's routes without those for missing pages.
func routesOf(s *Server) []*echo.Route {
	e, _ := s.handler.(*echo.Echo)
	return slices.DeleteFunc(e.Routes(), func(r *echo.Route) bool { return r.Method == echo.RouteNotFound })
}

// TestEveryRouteHasARole tries each role on each route. A route under /ui is public or follows
// leastRole. Sessions count nowhere else.
func TestEveryRouteHasARole(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	nobody := *s
	nobody.client = &http.Client{CheckRedirect: s.client.CheckRedirect}
	public := []string{"GET " + paths.Login, "POST " + paths.Login, "GET " + paths.Token, "GET " + paths.Welcome,
		"POST " + paths.Welcome, "POST " + paths.Logout, "GET " + paths.PasskeyLogin, "POST " + paths.PasskeyLogin,
		"GET " + paths.PasskeyOptions, "GET /ui/assets/*", "HEAD /ui/assets/*"}
	people := map[app.Role]*uiSite{}
	for _, role := range app.Roles() {
		people[role] = s.as(role)
	}
	walked := 0
	for _, r := range routesOf(s.server) {
		route := r.Method + " " + r.Path
		address := strings.NewReplacer(":id", "none", ":handle", "none", ":name", "NONE").Replace(r.Path)
		switch {
		case !strings.HasPrefix(r.Path, paths.Root):
			if r.Path == "/mcp" && r.Method != http.MethodGet || r.Method == http.MethodConnect {
				continue // any method; one is enough
			}
			if with, without := people[app.RoleOwner].status(r.Method, address, nil), nobody.status(r.Method, address, nil); with != without {
				t.Errorf("%s: %d with a session, %d without", route, with, without)
			}
			continue
		case slices.Contains(public, route):
			continue
		}
		walked++
		needed := paths.RoleFor(r.Method, r.Path)
		if want := leastRole(r.Method, r.Path); needed != want {
			t.Errorf("%s is for the role %q, want %q", route, needed, want)
		}
		if got := nobody.status(r.Method, address, nil); got != http.StatusSeeOther && got != http.StatusUnauthorized {
			t.Errorf("%s without a session: %d", route, got)
		}
		for role, site := range people {
			got := site.status(r.Method, address, nil)
			if refused := got == http.StatusForbidden; refused == role.Includes(needed) || got >= 500 || got == http.StatusUnauthorized {
				t.Errorf("%s as %s: %d, and it needs %s", route, role, got, needed)
			}
		}
	}
	if walked < 70 {
		t.Errorf("%d routes were walked", walked)
	}
}

// TestARouteWithoutARoleIsRefused: to owners, too.
func TestARouteWithoutARoleIsRefused(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	e := echo.New()
	e.HTTPErrorHandler = s.server.fail
	s.server.handler = e
	e.GET("/ui/new", func(c echo.Context) error { return c.NoContent(http.StatusOK) },
		s.pages().Require(paths.RoleFor(http.MethodGet, "/ui/new")))
	if got := s.status(http.MethodGet, "/ui/new", nil); got != http.StatusForbidden {
		t.Errorf("status %d", got)
	}
}

// TestPagesOfferNothingThatARoleMayNot follows every offered link: none is refused, no form is
// forbidden, and viewers see no token.
func TestPagesOfferNothingThatARoleMayNot(t *testing.T) {
	t.Parallel()
	w := newWalk(t)
	sent := map[app.Role]int{}
	for _, role := range app.Roles() {
		site := w.as(role)
		queue, seen := []string{paths.Root, paths.Search + "?q=e", paths.Search + "?q=paste"}, map[string]bool{}
		for len(queue) > 0 {
			path := queue[0]
			queue = queue[1:]
			if seen[path] || strings.HasPrefix(path, "/ui/assets") || path == paths.Events {
				continue
			}
			seen[path] = true
			a := site.get(path)
			if a.status == http.StatusForbidden || a.status >= 500 {
				t.Errorf("%s is offered %s: %d", role, path, a.status)
			}
			if role == app.RoleViewer && (strings.Contains(a.text, w.profile.ID) || httpx.HasToken(a.text)) {
				t.Errorf("%s shows viewers a token", path)
			}
			a.doc.Find("form[method=post]").Each(func(_ int, f *goquery.Selection) {
				sent[role]++
				if action := f.AttrOr("action", ""); action != paths.Logout && !role.Includes(paths.RoleFor(http.MethodPost, w.pattern(action))) {
					t.Errorf("%s is offered the form %s on %s", role, action, path)
				}
			})
			a.doc.Find("fieldset[disabled] button:not([type=button]), main button:not([type=button]):not(form *)").
				Each(func(_ int, e *goquery.Selection) { t.Errorf("%s on %s: the button %s", role, path, e.Text()) })
			a.doc.Find("a[href], [hx-get]").Each(func(_ int, e *goquery.Selection) {
				href := e.AttrOr("href", e.AttrOr("hx-get", ""))
				if href, _, _ = strings.Cut(href, "#"); strings.HasPrefix(href, paths.Root) {
					queue = append(queue, href)
				}
			})
			if len(seen) > 500 {
				t.Fatal("the site has no end")
			}
		}
		for path, readable := range map[string]app.Role{paths.ProfileURL(w.profile.Handle): app.RoleViewer,
			paths.ProfileURL(w.open.Handle): app.RoleViewer, paths.CredentialURL("KEY"): app.RoleViewer,
			paths.ExecutionURL(w.ended.Handle): app.RoleViewer, paths.Settings: app.RoleViewer,
			paths.CredentialNew: app.RoleOperator, paths.SettingsPeople: app.RoleOwner, paths.SettingsMove: app.RoleOwner} {
			if seen[path] != role.Includes(readable) {
				t.Errorf("%s: offered to %s: %t", path, role, seen[path])
			}
		}
	}
	if sent[app.RoleOwner] <= sent[app.RoleOperator] || sent[app.RoleOperator] <= sent[app.RoleViewer] ||
		sent[app.RoleViewer] == 0 {
		t.Errorf("forms that can be sent: %v", sent)
	}
}

func (w *walk) pattern(address string) string {
	w.t.Helper()
	e, _ := w.server.handler.(*echo.Echo)
	c := e.NewContext(nil, nil)
	e.Router().Find(http.MethodPost, address, c)
	return c.Path()
}

func TestViewersReadWhatTheyCannotChange(t *testing.T) {
	t.Parallel()
	w := newWalk(t)
	viewer := w.as(app.RoleViewer)
	a := viewer.get(paths.CredentialURL("KEY"))
	if a.doc.Find("fieldset[disabled] #description").Length() != 1 || a.doc.Find("main .foot .primary").Length() != 0 {
		t.Error("the credential can be changed, or not read")
	}
	a = viewer.get(paths.ProfileURL(w.open.Handle))
	a.says("main", "api.example.com")
	if a.doc.Find("main button.primary").Length() != 0 {
		t.Error("the request has a button")
	}
	a = viewer.get(paths.Settings)
	a.says("#password-card", "viewer")
	if a.doc.Find("#sessions tbody tr").Length() != 1 {
		t.Error("a viewer sees others' sessions")
	}
}

// TestAnOwnerChangesARoleOnThePage, and the last one stays one.
func TestAnOwnerChangesARoleOnThePage(t *testing.T) {
	t.Parallel()
	w := newWalk(t) // Bob is an owner, too
	w.post(paths.At(paths.SettingsRole, w.person), "role", "viewer").want(http.StatusSeeOther)
	w.get(paths.SettingsPeople).says(".toast", "The role was changed.")
	sessions, err := w.access.Sessions.List(t.Context())
	w.must(err)
	for _, x := range sessions {
		if x.Person == uiName {
			w.post(paths.At(paths.SettingsRole, x.PersonID), "role", "viewer").want(http.StatusConflict).
				says("main", uiName+" is the only owner.").says("main", "Make somebody else an owner first.")
			break
		}
	}
	w.post(paths.At(paths.SettingsRole, w.person), "role", "root").want(http.StatusBadRequest)
}

// TestHoleViewersGetNoTokens: pages and downloads mask profile ids in agents' words, also behind
// other letters.
func TestHoleViewersGetNoTokens(t *testing.T) {
	t.Parallel()
	w := newWalk(t)
	by := app.Actor{Kind: app.ActorAgent, Address: "192.0.2.41"}
	p, err := w.access.Profiles.Create(t.Context(), by, "Second of team_"+w.profile.ID)
	w.must(err)
	id := p.ID
	p, err = w.access.Lifecycle.Lock(t.Context(), w.uiSite.person, p.Handle, time.Time{})
	w.must(err)
	p.ID = id
	w.runs(p, "print hello", app.StatusCompleted)
	site := w.as(app.RoleViewer)
	for _, address := range []string{
		paths.ExecutionsExport + "?as=jsonl", paths.ExecutionsExport + "?as=csv", paths.AuditExport + "?as=jsonl",
		paths.Profiles, paths.ProfileURL(p.Handle), paths.Executions, paths.Search + "?q=Second", paths.Inbox,
	} {
		a := site.get(address)
		if a.status != http.StatusOK || strings.Contains(a.text, w.profile.ID) {
			t.Errorf("%s: %d, with a token: %v", address, a.status, strings.Contains(a.text, w.profile.ID))
		}
	}
}
