package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/assets"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// uiRoutes registers the admin UI under /ui. What stands before the session check is open to everybody; every other page needs a session.
func (s *Server) uiRoutes(g *echo.Group) {
	g.Use(pageHeaders, readUrgently)
	at := func(path string) string { return strings.TrimPrefix(path, paths.Root) }

	g.GET(at(assets.Prefix)+"*", echo.WrapHandler(assets.Handler()))
	g.HEAD(at(assets.Prefix)+"*", echo.WrapHandler(assets.Handler()))
	g.GET(at(paths.Login), s.showLogin)
	g.POST(at(paths.Login), s.login, smallForm)
	g.GET(at(paths.Token), s.showToken)
	g.GET(at(paths.Welcome), s.showWelcome)
	g.POST(at(paths.Welcome), s.join, smallForm)
	g.POST(at(paths.Logout), s.logout)

	p := g.Group("", s.withSession)
	for _, r := range slices.Concat(s.pages(), s.transferPages()) {
		p.Add(r.Method, at(r.Path), r.Handle)
	}
	p.RouteNotFound("", s.noPage)
	p.RouteNotFound("/*", s.noPage)
}

// readUrgently lets the pages that people look at pass what agents read. What they send may begin work that reads for minutes: that waits with all others.
func readUrgently(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method == http.MethodGet {
			c.SetRequest(c.Request().WithContext(store.Urgent(c.Request().Context())))
		}
		return next(c)
	}
}

// pages are the routes of people with a session.
func (s *Server) pages() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Root, s.showOverview),
		httpx.Get(paths.Root+"/", httpx.Redirect(paths.Root)),
		httpx.Get(paths.Events, s.events),
		httpx.Get(paths.Stats, s.showStats),
		httpx.Get(paths.Inbox, s.showInbox),
		httpx.Get(paths.InboxCount, s.countInbox),
		httpx.Get(paths.Sandbox, s.showSandbox),
		httpx.Post(paths.SandboxProve, s.proveSandbox),
		httpx.Get(paths.SandboxProve, httpx.Redirect(paths.Sandbox)),
		httpx.Get(paths.Audit, s.showAudit),
		httpx.Get(paths.AuditExport, s.exportAudit),
		httpx.Post(paths.AuditVerify, s.verifyAudit),
		httpx.Get(paths.AuditVerify, httpx.Redirect(paths.Audit)),
		httpx.Get(paths.Settings, s.showSettings),
		httpx.Post(paths.SettingsTheme, s.setTheme),
		httpx.Get(paths.SettingsTheme, s.backToSettings),
		httpx.Get(paths.Search, s.search),
		httpx.Post(paths.SettingsKeys, s.setKeys),
		httpx.Get(paths.SettingsKeys, s.backToSettings),
		httpx.Post(paths.SettingsPassword, s.changePassword),
		httpx.Post(paths.SettingsSession, s.endSession),
		httpx.Post(paths.SettingsSessions, s.endSessions),
		httpx.Post(paths.SettingsInvite, s.requireFresh(s.invite)),
		httpx.Post(paths.SettingsUninvite, s.uninvite),
		httpx.Get(paths.SettingsPerson, s.requireFresh(s.askRemovePerson)),
		httpx.Post(paths.SettingsPerson, s.requireFresh(s.removePerson)),
		httpx.Post(paths.SettingsPause, s.pauseExecutions),
		httpx.Post(paths.SettingsResume, s.resumeExecutions),
		httpx.Get(paths.SettingsPassword, s.backToSettings),
		httpx.Get(paths.SettingsSession, s.backToSettings),
		httpx.Get(paths.SettingsSessions, s.backToSettings),
		httpx.Get(paths.SettingsInvite, s.backToSettings),
		httpx.Get(paths.SettingsUninvite, s.backToSettings),
		httpx.Get(paths.SettingsPause, s.backToSettings),
		httpx.Get(paths.SettingsResume, s.backToSettings),
		httpx.Get(paths.Confirm, s.showFresh),
		httpx.Post(paths.Confirm, s.confirmPassword),

		httpx.Get(paths.Credentials, s.showCredentials),
		httpx.Get(paths.CredentialNew, s.showNewCredential),
		httpx.Post(paths.CredentialNew, s.createCredential),
		httpx.Get(paths.CredentialPaste, s.showPaste),
		httpx.Post(paths.CredentialPaste, s.paste),
		httpx.Get(paths.CredentialPreview, s.showPreview),
		httpx.Post(paths.CredentialPreview, s.applyPaste),
		httpx.Get(paths.CredentialPath, s.showCredential),
		httpx.Post(paths.CredentialPath, s.changeCredential),
		httpx.Get(paths.CredentialDelete, s.askDeleteCredential),
		httpx.Post(paths.CredentialDelete, s.deleteCredential),
		httpx.Post(paths.CredentialTest, s.testCredential),
		httpx.Get(paths.CredentialTest, s.backToCredential),

		httpx.Get(paths.Profiles, s.showProfiles),
		httpx.Get(paths.ProfileNew, s.showNewProfile),
		httpx.Post(paths.ProfileNew, s.createOwnProfile),
		httpx.Get(paths.ProfilePath, s.showProfile),
		httpx.Post(paths.ProfileSetup, s.setUpProfile),
		httpx.Get(paths.ProfileSetup, s.backToProfile),
		httpx.Post(paths.ProfileHosts, s.changeHosts),
		httpx.Get(paths.ProfileHosts, s.backToProfile),
		httpx.Get(paths.ProfileLock, s.showLock),
		httpx.Post(paths.ProfileLock, s.lockProfile),
		httpx.Post(paths.ProfileExpiry, s.changeExpiry),
		httpx.Get(paths.ProfileExpiry, s.backToProfile),
		httpx.Post(paths.ProfilePlace, s.placeProfile),
		httpx.Get(paths.ProfilePlace, s.backToProfile),
		httpx.Post(paths.ProfileDescribe, s.describeProfile),
		httpx.Get(paths.ProfileDescribe, s.backToProfile),
		httpx.Get(paths.ProfileRevoke, s.askRevoke),
		httpx.Post(paths.ProfileRevoke, s.revokeProfile),
		httpx.Post(paths.ProfileRestore, s.restoreProfile),
		httpx.Get(paths.ProfileRestore, s.backToProfile),
		httpx.Post(paths.ProfileCopy, s.duplicateProfile),
		httpx.Get(paths.ProfileCopy, s.backToProfile),
		httpx.Get(paths.ProfileDelete, s.askDeleteProfile),
		httpx.Post(paths.ProfileDelete, s.deleteProfile),

		httpx.Get(paths.Executions, s.showExecutions),
		httpx.Get(paths.ExecutionsExport, s.exportExecutions),
		httpx.Get(paths.ExecutionPath, s.showExecution),
		httpx.Post(paths.ExecutionCancel, s.cancelByPerson),
		httpx.Get(paths.ExecutionCancel, s.backToExecution),
		httpx.Post(paths.ExecutionRerun, s.rerunByPerson),
		httpx.Get(paths.ExecutionCompare, s.compareExecutions),
		httpx.Get(paths.ExecutionPrint, s.printExecution),
		httpx.Get(paths.ExecutionRerun, s.backToExecution),
		httpx.Post(paths.ExecutionRespond, s.answerByPerson),
		httpx.Get(paths.ExecutionRespond, s.backToExecution),
	}
}

// pagePolicy admits what pages consist of and nothing else: no inline script, no inline style, no other origin.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// pageHeaders are those of every answer under /ui, on top of secureHeaders. The referrer policy must not be no-referrer: browsers then send
// "Origin: null" with a page's own forms, which over plain HTTP is all that tells them from another site's.
func pageHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		setPageHeaders(c)
		return next(c)
	}
}

func setPageHeaders(c echo.Context) {
	h := c.Response().Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Vary", "HX-Request-Type")
	if c.Scheme() != "https" {
		h.Del("Cross-Origin-Opener-Policy") // browsers ignore it over plain HTTP, with a warning on every page
	}
}

func (s *Server) noPage(echo.Context) error {
	return app.E(app.CodeNotFound, "there is nothing at this address", "It may have been deleted, or the link is incomplete.")
}

// uiError answers a failed request under /ui with a page. The status is the one that errors.go gives the code.
func (s *Server) uiError(c echo.Context, status int, e *app.Error) {
	setPageHeaders(c)
	if e.Code == app.CodeUnauthorized {
		s.askLogin(c)
		return
	}
	hint := e.Hint
	if e.Code == app.CodeMethodNotAllowed || strings.Contains(hint, "skill.md") {
		hint = "Go back and use the page's own buttons."
	}
	page := layout.ErrorPage{Shell: s.bareShell(c, strings.TrimSuffix(sentence(e.Message), ".")), Status: status, Message: sentence(e.Message), Hint: sentence(hint), Bare: actorOf(c).Kind == ""}
	if err := s.render(c, status, layout.Error(page)); err != nil {
		s.cfg.Log.Warn("an error page could not be written", "error", err)
	}
}

// askLogin leads to the login, and from there back to the page that was asked for. htmx follows a header, since it would put the
// login into a part of the page otherwise.
func (s *Server) askLogin(c echo.Context) {
	r := c.Request()
	next := cameFrom(r)
	if r.Method == http.MethodGet && !partial(c) && r.URL.Path != paths.Events {
		next = r.URL.RequestURI()
	} else if r.Method == http.MethodPost && r.Header.Get("HX-Request") == "true" {
		_ = c.NoContent(http.StatusUnauthorized) // the page keeps what was typed, and says so
		return
	} else if r.Method == http.MethodPost && r.URL.Path != paths.Welcome {
		s.setCookie(c, noticeCookie, "session-over", noticeAge)
	}
	to := paths.LoginURL(localPage(next))
	if c.Request().Header.Get("HX-Request") == "true" {
		c.Response().Header().Set("HX-Redirect", to)
		_ = c.NoContent(http.StatusUnauthorized)
		return
	}
	_ = c.Redirect(http.StatusSeeOther, to)
}

// localPage returns next if it is a page of this UI, else the overview: a login must not lead elsewhere.
func localPage(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || strings.ContainsAny(next, "\\\r\n\t") || strings.Contains(u.Path, "//") || strings.Contains(u.Path, "..") {
		return paths.Root
	}
	if u.Path != paths.Root && !strings.HasPrefix(u.Path, paths.Root+"/") || u.Path == paths.Login || u.Path == paths.Token || u.Path == paths.Welcome || u.Path == paths.Confirm {
		return paths.Root
	}
	return u.RequestURI()
}
