package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/views/authview"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/paths"
)

func (s *Server) showLogin(c echo.Context) error { return s.loginPage(c, false) }

func (s *Server) showToken(c echo.Context) error { return s.loginPage(c, true) }

// loginPage leads on whoever is in already, or half in.
func (s *Server) loginPage(c echo.Context, token bool) error {
	ctx, next := c.Request().Context(), localPage(c.QueryParam("next"))
	if _, err := s.cfg.Access.Session(ctx, cookieOf(c), c.RealIP()); err == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	if _, err := s.cfg.Access.Enrolling(ctx, cookieOf(c)); err == nil {
		return c.Redirect(http.StatusSeeOther, paths.WelcomeURL(next))
	}
	founded, err := s.cfg.Access.Founded(ctx)
	if err != nil {
		return err
	}
	page := authview.LoginPage{Shell: s.bareShell(c, "Log in"), Next: next, First: !founded, Token: token || !founded, TokenAt: s.cfg.Where.Token, Said: notices()[s.takeNotice(c)]}
	return s.render(c, http.StatusOK, authview.Login(page))
}

func (s *Server) login(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	page := authview.LoginPage{Shell: s.bareShell(c, "Log in"), Next: localPage(fields.Get("next")), Name: fields.Get("name"), Token: fields.Has("token"), TokenAt: s.cfg.Where.Token}
	to := page.Next
	var opened access.Opened
	if page.Token {
		to = paths.WelcomeURL(page.Next)
		opened, err = s.cfg.Access.Enroll(ctx, c.RealIP(), c.Request().UserAgent(), app.NewSecret(strings.TrimSpace(fields.Get("token"))))
	} else {
		opened, err = s.cfg.Access.Login(ctx, c.RealIP(), c.Request().UserAgent(), page.Name, app.NewSecret(fields.Get("password")))
	}
	if err == nil {
		s.setSession(c, opened)
		return c.Redirect(http.StatusSeeOther, to)
	}
	return s.refuseLogin(c, page, err)
}

// refuseLogin says no more than it must. The words don't tell a wrong name from a wrong password.
func (s *Server) refuseLogin(c echo.Context, page authview.LoginPage, cause error) error {
	founded, err := s.cfg.Access.Founded(c.Request().Context())
	if err != nil {
		return err
	}
	page.First = !founded
	status := http.StatusUnprocessableEntity
	switch known, _ := asAppError(cause); app.CodeOf(cause) {
	case app.CodeUnauthorized:
		page.Problem = "The name or the password is wrong."
		if page.Token {
			page.Problem = "That is not a token that can be used."
		}
	case app.CodeRateLimited:
		status, page.Problem = http.StatusTooManyRequests, "There were too many attempts. Wait a minute, then try again."
	case app.CodeConflict: // to the holder of a spent token
		page.Problem = told(known)
	default:
		return cause
	}
	return s.render(c, status, authview.Login(page))
}

func (s *Server) setSession(c echo.Context, opened access.Opened) {
	s.setCookie(c, sessionCookie, opened.Token.Reveal(), max(opened.Expires.Sub(s.cfg.Now()), time.Second))
}

func (s *Server) showWelcome(c echo.Context) error {
	return s.welcomePage(c, http.StatusOK, authview.WelcomePage{Next: localPage(c.QueryParam("next"))})
}

// welcomePage is for holders of a token; everybody else logs in first.
func (s *Server) welcomePage(c echo.Context, status int, page authview.WelcomePage) (err error) {
	ctx := c.Request().Context()
	if page.Known, err = s.cfg.Access.Enrolling(ctx, cookieOf(c)); err != nil {
		return err
	}
	founded, err := s.cfg.Access.Founded(ctx)
	if err != nil {
		return err
	}
	page.Shell, page.First = s.bareShell(c, "Who are you?"), !founded
	return s.render(c, status, authview.Welcome(page))
}

func (s *Server) join(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	page := authview.WelcomePage{Name: fields.Get("name"), Next: localPage(fields.Get("next"))}
	if page.Problems = notTheSame(fields.Get("password"), fields.Get("password-again"), "password-again"); page.Problems != nil {
		return s.welcomePage(c, http.StatusUnprocessableEntity, page)
	}
	opened, err := s.cfg.Access.Join(c.Request().Context(), cookieOf(c), c.RealIP(), c.Request().UserAgent(), page.Name, app.NewSecret(fields.Get("password")))
	if err == nil {
		s.setSession(c, opened)
		return c.Redirect(http.StatusSeeOther, page.Next)
	}
	if page.Problems, err = problems(err, map[string]string{"name": "name", "password": "password"}); err != nil {
		return err
	}
	return s.welcomePage(c, http.StatusUnprocessableEntity, page)
}

// notTheSame compares a new password with its repetition.
func notTheSame(one, other, field string) components.Problems {
	if one == other {
		return nil
	}
	return components.Problems{field: "This is not the same as above."}
}

func (s *Server) logout(c echo.Context) error {
	if cookie := cookieOf(c); !cookie.Empty() {
		if err := s.cfg.Access.Logout(c.Request().Context(), cookie, c.RealIP()); err != nil {
			return err
		}
	}
	s.setCookie(c, sessionCookie, "", -time.Second)
	return c.Redirect(http.StatusSeeOther, paths.Login)
}

func asAppError(err error) (*app.Error, bool) {
	var e *app.Error
	ok := errors.As(err, &e)
	return e, ok
}
