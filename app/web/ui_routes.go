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
	"github.com/computclaw/airlock/views"
)

// uiRoutes registers the admin UI under /ui. What stands before the session check is open to everybody; every other page needs a session.
func (s *Server) uiRoutes(g *echo.Group) {
	g.Use(pageHeaders, readUrgently)
	at := func(path string) string { return strings.TrimPrefix(path, views.Root) }

	g.GET(at(assets.Prefix)+"*", echo.WrapHandler(assets.Handler()))
	g.HEAD(at(assets.Prefix)+"*", echo.WrapHandler(assets.Handler()))
	g.GET(at(views.Login), s.showLogin)
	g.POST(at(views.Login), s.login, smallForm)
	g.GET(at(views.Token), s.showToken)
	g.GET(at(views.Welcome), s.showWelcome)
	g.POST(at(views.Welcome), s.join, smallForm)
	g.POST(at(views.Logout), s.logout)

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
		{get, views.Root, s.showOverview},
		{get, views.Root + "/", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, views.Root) }},
		{get, views.Events, s.events},
		{get, views.Stats, s.showStats},
		{get, views.Inbox, s.showInbox},
		{get, views.InboxCount, s.countInbox},
		{get, views.Sandbox, s.showSandbox},
		{post, views.SandboxProve, s.proveSandbox},
		{get, views.SandboxProve, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, views.Sandbox) }},
		{get, views.Audit, s.showAudit},
		{get, views.AuditExport, s.exportAudit},
		{post, views.AuditVerify, s.verifyAudit},
		{get, views.AuditVerify, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, views.Audit) }},
		{get, views.Settings, s.showSettings},
		{post, views.SettingsTheme, s.setTheme},
		{get, views.SettingsTheme, s.backToSettings},
		{get, views.Search, s.search},
		{post, views.SettingsKeys, s.setKeys},
		{get, views.SettingsKeys, s.backToSettings},
		{post, views.SettingsPassword, s.changePassword},
		{post, views.SettingsSession, s.endSession},
		{post, views.SettingsSessions, s.endSessions},
		{post, views.SettingsInvite, s.requireFresh(s.invite)},
		{post, views.SettingsUninvite, s.uninvite},
		{get, views.SettingsPerson, s.requireFresh(s.askRemovePerson)},
		{post, views.SettingsPerson, s.requireFresh(s.removePerson)},
		{post, views.SettingsPause, s.pauseExecutions},
		{post, views.SettingsResume, s.resumeExecutions},
		{get, views.SettingsPassword, s.backToSettings},
		{get, views.SettingsSession, s.backToSettings},
		{get, views.SettingsSessions, s.backToSettings},
		{get, views.SettingsInvite, s.backToSettings},
		{get, views.SettingsUninvite, s.backToSettings},
		{get, views.SettingsPause, s.backToSettings},
		{get, views.SettingsResume, s.backToSettings},
		{get, views.Confirm, s.showFresh},
		{post, views.Confirm, s.confirmPassword},

		{get, views.Credentials, s.showCredentials},
		{get, views.CredentialNew, s.showNewCredential},
		{post, views.CredentialNew, s.createCredential},
		{get, views.CredentialPaste, s.showPaste},
		{post, views.CredentialPaste, s.paste},
		{get, views.CredentialPreview, s.showPreview},
		{post, views.CredentialPreview, s.applyPaste},
		{get, views.CredentialPath, s.showCredential},
		{post, views.CredentialPath, s.changeCredential},
		{get, views.CredentialDelete, s.askDeleteCredential},
		{post, views.CredentialDelete, s.deleteCredential},
		{post, views.CredentialTest, s.testCredential},
		{get, views.CredentialTest, s.backToCredential},

		{get, views.Profiles, s.showProfiles},
		{get, views.ProfileNew, s.showNewProfile},
		{post, views.ProfileNew, s.createOwnProfile},
		{get, views.ProfilePath, s.showProfile},
		{post, views.ProfileSetup, s.setUpProfile},
		{get, views.ProfileSetup, s.backToProfile},
		{post, views.ProfileHosts, s.changeHosts},
		{get, views.ProfileHosts, s.backToProfile},
		{get, views.ProfileLock, s.showLock},
		{post, views.ProfileLock, s.lockProfile},
		{post, views.ProfileExpiry, s.changeExpiry},
		{get, views.ProfileExpiry, s.backToProfile},
		{post, views.ProfilePlace, s.placeProfile},
		{get, views.ProfilePlace, s.backToProfile},
		{post, views.ProfileDescribe, s.describeProfile},
		{get, views.ProfileDescribe, s.backToProfile},
		{get, views.ProfileRevoke, s.askRevoke},
		{post, views.ProfileRevoke, s.revokeProfile},
		{post, views.ProfileRestore, s.restoreProfile},
		{get, views.ProfileRestore, s.backToProfile},
		{post, views.ProfileCopy, s.duplicateProfile},
		{get, views.ProfileCopy, s.backToProfile},
		{get, views.ProfileDelete, s.askDeleteProfile},
		{post, views.ProfileDelete, s.deleteProfile},

		{get, views.Executions, s.showExecutions},
		{get, views.ExecutionsExport, s.exportExecutions},
		{get, views.ExecutionPath, s.showExecution},
		{post, views.ExecutionCancel, s.cancelByPerson},
		{get, views.ExecutionCancel, s.backToExecution},
		{post, views.ExecutionRerun, s.rerunByPerson},
		{get, views.ExecutionCompare, s.compareExecutions},
		{get, views.ExecutionPrint, s.printExecution},
		{get, views.ExecutionRerun, s.backToExecution},
		{post, views.ExecutionRespond, s.answerByPerson},
		{get, views.ExecutionRespond, s.backToExecution},
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
	page := views.OopsPage{Shell: s.bareShell(c, strings.TrimSuffix(sentence(e.Message), ".")), Status: status, Message: sentence(e.Message), Hint: sentence(hint), Bare: actorOf(c).Kind == ""}
	if err := s.render(c, status, views.OopsView(page)); err != nil {
		s.cfg.Log.Warn("an error page could not be written", "error", err)
	}
}

// askLogin leads to the login, and from there back to the page that was asked for. htmx follows a header, since it would put the
// login into a part of the page otherwise.
func (s *Server) askLogin(c echo.Context) {
	r := c.Request()
	next := cameFrom(r)
	if r.Method == http.MethodGet && !partial(c) && r.URL.Path != views.Events {
		next = r.URL.RequestURI()
	} else if r.Method == http.MethodPost && r.Header.Get("HX-Request") == "true" {
		_ = c.NoContent(http.StatusUnauthorized) // the page keeps what was typed, and says so
		return
	} else if r.Method == http.MethodPost && r.URL.Path != views.Welcome {
		s.setCookie(c, noticeCookie, "session-over", noticeAge)
	}
	to := views.LoginURL(localPage(next))
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
		return views.Root
	}
	if u.Path != views.Root && !strings.HasPrefix(u.Path, views.Root+"/") || u.Path == views.Login || u.Path == views.Token || u.Path == views.Welcome || u.Path == views.Confirm {
		return views.Root
	}
	return u.RequestURI()
}
