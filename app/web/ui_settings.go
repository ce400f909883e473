package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

func (s *Server) showSettings(c echo.Context) error {
	return s.settingsPage(c, http.StatusOK, nil)
}

func (s *Server) backToSettings(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, views.Settings)
}

func (s *Server) settingsPage(c echo.Context, status int, found views.Problems) error {
	ctx, here := c.Request().Context(), sessionOf(c)
	sh, _, err := s.shell(c, "Settings", views.SectionSettings)
	if err != nil {
		return err
	}
	page := views.SettingsPage{Shell: sh, Address: c.RealIP(), PersonID: here.PersonID, SessionID: here.ID, Problems: found}
	people, err := s.cfg.Access.People(ctx)
	if err != nil {
		return err
	}
	for _, p := range people {
		page.People = append(page.People, views.PersonRow{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastLogin: p.LastLoginAt, From: p.LastLoginFrom})
	}
	invitations, err := s.cfg.Access.Invitations(ctx)
	if err != nil {
		return err
	}
	for _, x := range invitations {
		page.Invitations = append(page.Invitations, views.InvitationRow{ID: x.ID, By: x.By.Name, CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt})
	}
	sessions, err := s.cfg.Access.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, x := range sessions {
		page.Sessions = append(page.Sessions, views.SessionRow{
			ID: x.ID, PersonID: x.PersonID, Person: x.Person, Address: x.Address, Browser: views.Browser(x.Browser), CreatedAt: x.CreatedAt, SeenAt: x.SeenAt, ExpiresAt: x.ExpiresAt,
		})
	}
	token, err := s.cfg.Access.AdminToken(ctx)
	if err != nil {
		return err
	}
	page.Token = views.TokenRow{MadeAt: token.MadeAt, SpentAt: token.SpentAt, From: token.SpentFrom, By: token.SpentBy}
	if page.Vault, err = s.vaultState(ctx); err != nil {
		return err
	}
	if page.Retention, err = s.retentionState(ctx); err != nil {
		return err
	}
	return s.render(c, status, views.SettingsView(page))
}

// setTheme keeps the theme in a cookie, so that the first paint has it already.
func (s *Server) setTheme(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	switch theme := fields.Get("theme"); theme {
	case "light", "dark":
		s.setCookie(c, themeCookie, theme, 365*24*time.Hour)
	case "":
		s.setCookie(c, themeCookie, "", -time.Second)
	default:
		return app.Invalid("theme", "this theme is not known", "Choose one of the list.")
	}
	return s.done(c, "theme", views.Settings)
}

// setKeys keeps in a cookie whether single keys are commands.
func (s *Server) setKeys(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	age := -time.Second
	if fields.Get("keys") == "off" {
		age = 365 * 24 * time.Hour
	}
	s.setCookie(c, keysCookie, "off", age)
	return s.done(c, "keys", views.Settings)
}

func (s *Server) changePassword(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	found := notTheSame(fields.Get("password"), fields.Get("password-again"), "password-again")
	if found == nil {
		err := s.cfg.Access.ChangePassword(c.Request().Context(), sessionOf(c), app.NewSecret(fields.Get("old")), app.NewSecret(fields.Get("password")))
		if err == nil {
			return s.done(c, "password-changed", views.Settings)
		}
		if found, err = problems(err, map[string]string{"old": "old", "password": "password"}); err != nil {
			return err
		}
	}
	return s.settingsPage(c, http.StatusUnprocessableEntity, found)
}

func (s *Server) endSession(c echo.Context) error {
	if err := s.cfg.Access.EndSession(c.Request().Context(), actorOf(c), c.Param("id")); err != nil {
		return err
	}
	return s.done(c, "session-ended", views.Settings)
}

func (s *Server) endSessions(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	if _, err := s.cfg.Access.EndOtherSessions(c.Request().Context(), sessionOf(c), fields.Get("whose") == "all"); err != nil {
		return err
	}
	return s.done(c, "sessions-ended", views.Settings)
}

// invite shows the token on the answer itself: it must not be kept anywhere that a later page could read it from.
func (s *Server) invite(c echo.Context) error {
	token, expires, err := s.cfg.Access.Invite(c.Request().Context(), actorOf(c))
	if err != nil {
		return err
	}
	sh, _, err := s.shell(c, "An invitation", views.SectionSettings)
	if err != nil {
		return err
	}
	c.Response().Header().Set("HX-Push-Url", "false")
	return s.render(c, http.StatusOK, views.InvitedView(views.InvitedPage{Shell: sh, Token: token.Reveal(), Expires: expires}))
}

func (s *Server) uninvite(c echo.Context) error {
	if err := s.cfg.Access.Uninvite(c.Request().Context(), actorOf(c), c.Param("id")); err != nil {
		return err
	}
	return s.done(c, "uninvited", views.Settings)
}

func (s *Server) askRemovePerson(c echo.Context) error {
	people, err := s.cfg.Access.People(c.Request().Context())
	if err != nil {
		return err
	}
	for _, p := range people {
		if p.ID != c.Param("id") {
			continue
		}
		sh, _, err := s.shell(c, "Remove "+p.Name, views.SectionSettings)
		if err != nil {
			return err
		}
		return s.render(c, http.StatusOK, views.ConfirmView(views.ConfirmPage{
			Shell: sh, Question: "Remove " + p.Name + "?", Button: "Remove " + p.Name, Action: views.SettingsPersonURL(p.ID), Back: views.Settings,
			Lines: []string{"Their sessions end at once, and their password counts no more.", "What they did stays in the audit log. They can be invited again."},
		}))
	}
	return s.noPage(c)
}

func (s *Server) removePerson(c echo.Context) error {
	err := s.cfg.Access.RemovePerson(c.Request().Context(), sessionOf(c), c.Param("id"))
	if err == nil {
		return s.done(c, "person-removed", views.Settings)
	}
	found, err := problems(err, nil)
	if err != nil {
		return err
	}
	return s.settingsPage(c, http.StatusUnprocessableEntity, found)
}

func (s *Server) pauseExecutions(c echo.Context) error {
	if err := s.cfg.Access.PauseExecutions(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	return s.done(c, "paused", views.Settings)
}

func (s *Server) resumeExecutions(c echo.Context) error {
	if err := s.cfg.Access.ResumeExecutions(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	return s.done(c, "resumed", cameFrom(c.Request()))
}
