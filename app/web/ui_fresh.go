package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/authview"
	"github.com/computclaw/airlock/views/paths"
)

// requireFresh lets a request pass only if its person has typed their password within five minutes (access.Session.Fresh). Otherwise it asks for it and
// leads back: to the page itself, or for a form to the page it stands on, where nothing was done yet and a notice says so. Put it before what gives much away
// or can't be taken back, and also before the page with the form, so that nobody fills one in for nothing:
//
//	{get, views.Export, s.requireFresh(s.showExport)},
//	{post, views.Export, s.requireFresh(s.export)},
func (s *Server) requireFresh(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if sessionOf(c).Fresh(s.cfg.Now()) {
			return next(c)
		}
		r := c.Request()
		if r.Method == http.MethodGet && !partial(c) {
			return c.Redirect(http.StatusSeeOther, paths.ConfirmURL(localPage(r.URL.RequestURI())))
		}
		s.setCookie(c, noticeCookie, "again", noticeAge)
		to := paths.ConfirmURL(cameFrom(r))
		if partial(c) {
			c.Response().Header().Set("HX-Redirect", to)
			return c.NoContent(http.StatusForbidden)
		}
		return c.Redirect(http.StatusSeeOther, to)
	}
}

// cameFrom is the page that a form stands on, as the browser says; the overview if it doesn't.
func cameFrom(r *http.Request) string {
	for _, from := range []string{r.Header.Get("HX-Current-URL"), r.Referer()} {
		if u, err := url.Parse(from); err == nil && from != "" {
			return localPage(u.RequestURI())
		}
	}
	return paths.Root
}

func (s *Server) showFresh(c echo.Context) error {
	return s.freshPage(c, http.StatusOK, localPage(c.QueryParam("next")), "")
}

func (s *Server) freshPage(c echo.Context, status int, next, problem string) error {
	page := authview.PasswordPage{Shell: s.bareShell(c, "Your password, please"), Name: actorOf(c).Name, Next: next, Problem: problem}
	return s.render(c, status, authview.Password(page))
}

func (s *Server) confirmPassword(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	next := localPage(fields.Get("next"))
	err = s.cfg.Access.Confirm(c.Request().Context(), sessionOf(c), app.NewSecret(fields.Get("password")))
	known, _ := asAppError(err)
	switch app.CodeOf(err) {
	case "":
		return c.Redirect(http.StatusSeeOther, next)
	case app.CodeInvalidField:
		return s.freshPage(c, http.StatusUnprocessableEntity, next, told(known))
	case app.CodeRateLimited:
		return s.freshPage(c, http.StatusTooManyRequests, next, told(known))
	}
	return err
}
