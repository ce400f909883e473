package ui

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/audit"
	"github.com/computclaw/airlock/app/web/ui/credentials"
	"github.com/computclaw/airlock/app/web/ui/dashboard"
	"github.com/computclaw/airlock/app/web/ui/executions"
	"github.com/computclaw/airlock/app/web/ui/login"
	"github.com/computclaw/airlock/app/web/ui/profiles"
	"github.com/computclaw/airlock/app/web/ui/settings"
	"github.com/computclaw/airlock/app/web/ui/skills"
	"github.com/computclaw/airlock/app/web/ui/transfers"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/assets"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/paths"
)

// Config is what Handlers need.
type Config struct {
	uix.Config
	Tester     *testrequest.Tester
	Retention  *retention.Keeper // nil: nothing is removed
	Rules      *patterns.Set     // of redaction, as people see them
	Key        instance.KeyInfo
	TokenPlace string // where this platform shows the admin token; "" if unknown
}

// Handlers serve /ui. They are safe for concurrent use.
type Handlers struct {
	ui        *uix.UI
	login     login.Handlers
	dashboard *dashboard.Handlers
	pages     []httpx.Route // for people with a session
}

// New returns Handlers.
func New(cfg Config) *Handlers {
	u := uix.New(cfg.Config)
	h := &Handlers{
		ui: u, login: login.Handlers{UI: u, TokenPlace: cfg.TokenPlace}, dashboard: dashboard.New(u),
	}
	h.pages = slices.Concat(
		h.dashboard.Routes(),
		audit.Handlers{UI: u}.Routes(),
		(&credentials.Handlers{UI: u, Tester: cfg.Tester, Retention: cfg.Retention}).Routes(),
		profiles.Handlers{UI: u}.Routes(),
		executions.Handlers{UI: u}.Routes(),
		skills.New(u, cfg.Rules).Routes(),
		settings.Handlers{UI: u, Retention: cfg.Retention, Rules: cfg.Rules}.Routes(),
		h.login.Routes(),
		transfers.Handlers{UI: u, Key: cfg.Key}.Routes(),
	)
	return h
}

// Register adds the routes to the /ui group. Those before the session check are public.
func (h *Handlers) Register(g *echo.Group) {
	g.Use(uix.PageHeaders, readUrgently)
	static := echo.WrapHandler(assets.Handler())
	g.GET(relative(assets.Prefix)+"*", static)
	g.HEAD(relative(assets.Prefix)+"*", static)
	for _, r := range h.login.PublicRoutes() {
		g.Add(r.Method, relative(r.Path), r.Handle)
	}
	for _, r := range h.Pages() {
		g.Add(r.Method, relative(r.Path), r.Handle, h.ui.Require(paths.RoleFor(r.Method, r.Path)))
	}
	for _, path := range []string{"", "/*"} {
		g.RouteNotFound(path, notFound, h.ui.Require(app.RoleViewer))
	}
}

// Pages returns the routes that need a session.
func (h *Handlers) Pages() []httpx.Route {
	all := slices.Clone(h.pages)
	for _, r := range h.pages {
		isPage := func(o httpx.Route) bool { return o.Path == r.Path && o.Method == http.MethodGet }
		if !slices.ContainsFunc(h.pages, isPage) {
			all = append(all, httpx.Get(r.Path, leadUp))
		}
	}
	return all
}

// leadUp leads from a form's address, opened by itself, to the page above.
func leadUp(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, path.Dir(c.Request().URL.Path))
}

func relative(path string) string { return strings.TrimPrefix(path, paths.Root) }

// Streams is how many event streams are open.
func (h *Handlers) Streams() int64 { return h.dashboard.Streams() }

// AnswerError answers a failed request with a page or the login.
func (h *Handlers) AnswerError(c echo.Context, status int, e *app.Error) {
	h.ui.AnswerError(c, status, e)
}

// readUrgently prioritizes reads for pages over those for agents. Forms may start minutes of reads,
// so theirs wait.
func readUrgently(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method == http.MethodGet {
			c.SetRequest(c.Request().WithContext(store.Urgent(c.Request().Context())))
		}
		return next(c)
	}
}

func notFound(echo.Context) error {
	return app.E(app.CodeNotFound, "there is nothing at this address",
		"It may have been deleted, or the link is incomplete.")
}
