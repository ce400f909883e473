package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// noteActor is where the person of a request is kept.
const noteActor = "airlock.actor"

// withSession lets a request pass that carries a valid session.
func (s *Server) withSession(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		actor, err := s.cfg.Access.Session(c.Request().Context(), sessionOf(c), c.RealIP())
		if err != nil {
			return err
		}
		c.Set(noteActor, actor)
		return next(c)
	}
}

func sessionOf(c echo.Context) app.Secret {
	k, err := c.Cookie(sessionCookie)
	if err != nil {
		return app.Secret{}
	}
	return app.NewSecret(k.Value)
}

// actorOf is the person who is logged in; its kind is empty where nobody is.
func actorOf(c echo.Context) app.Actor {
	actor, _ := c.Get(noteActor).(app.Actor)
	return actor
}

func (s *Server) showLogin(c echo.Context) error {
	next := localPage(c.QueryParam("next"))
	if _, err := s.cfg.Access.Session(c.Request().Context(), sessionOf(c), c.RealIP()); err == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	return s.render(c, http.StatusOK, views.LoginView(views.LoginPage{Shell: s.bareShell(c, "Log in"), Next: next}))
}

func (s *Server) login(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	next := localPage(fields.Get("next"))
	token := app.NewSecret(strings.TrimSpace(fields.Get("token")))
	session, expires, err := s.cfg.Access.Login(c.Request().Context(), c.RealIP(), c.Request().UserAgent(), token)
	page := views.LoginPage{Shell: s.bareShell(c, "Log in"), Next: next}
	switch app.CodeOf(err) {
	case "":
	case app.CodeUnauthorized:
		page.Problem = "That is not the admin token."
		return s.render(c, http.StatusUnprocessableEntity, views.LoginView(page))
	case app.CodeRateLimited:
		page.Problem = "There were too many attempts. Wait a minute, then try again."
		return s.render(c, http.StatusTooManyRequests, views.LoginView(page))
	default:
		return err
	}
	s.setCookie(c, sessionCookie, session.Reveal(), max(expires.Sub(s.cfg.Now()), time.Second))
	return c.Redirect(http.StatusSeeOther, next)
}

func (s *Server) logout(c echo.Context) error {
	if session := sessionOf(c); !session.Empty() {
		if err := s.cfg.Access.Logout(c.Request().Context(), session); err != nil {
			return err
		}
	}
	s.setCookie(c, sessionCookie, "", -time.Second)
	return c.Redirect(http.StatusSeeOther, views.Login)
}

func asAppError(err error) (*app.Error, bool) {
	var e *app.Error
	ok := errors.As(err, &e)
	return e, ok
}
