package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
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
		p.Add(r.method, at(r.path), r.handle)
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
func (s *Server) pages() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, paths.Root, s.showOverview},
		{get, paths.Root + "/", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, paths.Root) }},
		{get, paths.Events, s.events},
		{get, paths.Stats, s.showStats},
		{get, paths.Inbox, s.showInbox},
		{get, paths.InboxCount, s.countInbox},
		{get, paths.Sandbox, s.showSandbox},
		{post, paths.SandboxProve, s.proveSandbox},
		{get, paths.SandboxProve, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, paths.Sandbox) }},
		{get, paths.Audit, s.showAudit},
		{get, paths.AuditExport, s.exportAudit},
		{post, paths.AuditVerify, s.verifyAudit},
		{get, paths.AuditVerify, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, paths.Audit) }},
		{get, paths.Settings, s.showSettings},
		{post, paths.SettingsTheme, s.setTheme},
		{get, paths.SettingsTheme, s.backToSettings},
		{get, paths.Search, s.search},
		{post, paths.SettingsKeys, s.setKeys},
		{get, paths.SettingsKeys, s.backToSettings},
		{post, paths.SettingsPassword, s.changePassword},
		{post, paths.SettingsSession, s.endSession},
		{post, paths.SettingsSessions, s.endSessions},
		{post, paths.SettingsInvite, s.requireFresh(s.invite)},
		{post, paths.SettingsUninvite, s.uninvite},
		{get, paths.SettingsPerson, s.requireFresh(s.askRemovePerson)},
		{post, paths.SettingsPerson, s.requireFresh(s.removePerson)},
		{post, paths.SettingsPause, s.pauseExecutions},
		{post, paths.SettingsResume, s.resumeExecutions},
		{get, paths.SettingsPassword, s.backToSettings},
		{get, paths.SettingsSession, s.backToSettings},
		{get, paths.SettingsSessions, s.backToSettings},
		{get, paths.SettingsInvite, s.backToSettings},
		{get, paths.SettingsUninvite, s.backToSettings},
		{get, paths.SettingsPause, s.backToSettings},
		{get, paths.SettingsResume, s.backToSettings},
		{get, paths.Confirm, s.showFresh},
		{post, paths.Confirm, s.confirmPassword},

		{get, paths.Credentials, s.showCredentials},
		{get, paths.CredentialNew, s.showNewCredential},
		{post, paths.CredentialNew, s.createCredential},
		{get, paths.CredentialPaste, s.showPaste},
		{post, paths.CredentialPaste, s.paste},
		{get, paths.CredentialPreview, s.showPreview},
		{post, paths.CredentialPreview, s.applyPaste},
		{get, paths.CredentialPath, s.showCredential},
		{post, paths.CredentialPath, s.changeCredential},
		{get, paths.CredentialDelete, s.askDeleteCredential},
		{post, paths.CredentialDelete, s.deleteCredential},
		{post, paths.CredentialTest, s.testCredential},
		{get, paths.CredentialTest, s.backToCredential},

		{get, paths.Profiles, s.showProfiles},
		{get, paths.ProfileNew, s.showNewProfile},
		{post, paths.ProfileNew, s.createOwnProfile},
		{get, paths.ProfilePath, s.showProfile},
		{post, paths.ProfileSetup, s.setUpProfile},
		{get, paths.ProfileSetup, s.backToProfile},
		{post, paths.ProfileHosts, s.changeHosts},
		{get, paths.ProfileHosts, s.backToProfile},
		{get, paths.ProfileLock, s.showLock},
		{post, paths.ProfileLock, s.lockProfile},
		{post, paths.ProfileExpiry, s.changeExpiry},
		{get, paths.ProfileExpiry, s.backToProfile},
		{post, paths.ProfilePlace, s.placeProfile},
		{get, paths.ProfilePlace, s.backToProfile},
		{post, paths.ProfileDescribe, s.describeProfile},
		{get, paths.ProfileDescribe, s.backToProfile},
		{get, paths.ProfileRevoke, s.askRevoke},
		{post, paths.ProfileRevoke, s.revokeProfile},
		{post, paths.ProfileRestore, s.restoreProfile},
		{get, paths.ProfileRestore, s.backToProfile},
		{post, paths.ProfileCopy, s.duplicateProfile},
		{get, paths.ProfileCopy, s.backToProfile},
		{get, paths.ProfileDelete, s.askDeleteProfile},
		{post, paths.ProfileDelete, s.deleteProfile},

		{get, paths.Executions, s.showExecutions},
		{get, paths.ExecutionsExport, s.exportExecutions},
		{get, paths.ExecutionPath, s.showExecution},
		{post, paths.ExecutionCancel, s.cancelByPerson},
		{get, paths.ExecutionCancel, s.backToExecution},
		{post, paths.ExecutionRerun, s.rerunByPerson},
		{get, paths.ExecutionCompare, s.compareExecutions},
		{get, paths.ExecutionPrint, s.printExecution},
		{get, paths.ExecutionRerun, s.backToExecution},
		{post, paths.ExecutionRespond, s.answerByPerson},
		{get, paths.ExecutionRespond, s.backToExecution},
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
