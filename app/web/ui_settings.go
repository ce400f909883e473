package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

func (s *Server) showSettings(c echo.Context) error {
	return s.settingsPage(c, http.StatusOK, nil)
}

func (s *Server) backToSettings(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, paths.Settings)
}

func (s *Server) settingsPage(c echo.Context, status int, found components.Problems) error {
	sh, _, err := s.shell(c, "Settings", layout.SectionSettings)
	if err != nil {
		return err
	}
	here := sessionOf(c)
	page := settingsview.SettingsPage{Shell: sh, Address: c.RealIP(), PersonID: here.PersonID, SessionID: here.ID, Problems: found, Rules: s.ruleRows()}
	if err := s.whoIsIn(c.Request().Context(), &page); err != nil {
		return err
	}
	if page.Retention, err = s.retentionState(c.Request().Context()); err != nil {
		return err
	}
	age := time.Duration(0)
	if partial(c) {
		age = vaultKnown
	}
	if page.Vault, _, err = s.vault(c.Request().Context(), age); err != nil {
		return err
	}
	if partial(c) && status < http.StatusBadRequest {
		page.Live = true
		return s.render(c, status, settingsview.Live(page))
	}
	return s.render(c, status, settingsview.Settings(page))
}

// whoIsIn fills in who may log in and who is logged in.
func (s *Server) whoIsIn(ctx context.Context, page *settingsview.SettingsPage) error {
	people, err := s.cfg.Access.People(ctx)
	if err != nil {
		return err
	}
	for _, p := range people {
		page.People = append(page.People, settingsview.PersonRow{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt, LastLogin: p.LastLoginAt, From: p.LastLoginFrom})
	}
	invitations, err := s.cfg.Access.Invitations(ctx)
	if err != nil {
		return err
	}
	for _, x := range invitations {
		page.Invitations = append(page.Invitations, settingsview.InvitationRow{ID: x.ID, By: x.By.Name, CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt})
	}
	sessions, err := s.cfg.Access.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, x := range sessions {
		page.Sessions = append(page.Sessions, settingsview.SessionRow{
			ID: x.ID, PersonID: x.PersonID, Person: x.Person, Address: x.Address, Browser: format.Browser(x.Browser), CreatedAt: x.CreatedAt, SeenAt: x.SeenAt, ExpiresAt: x.ExpiresAt,
		})
	}
	token, err := s.cfg.Access.AdminToken(ctx)
	page.Token = settingsview.TokenRow{MadeAt: token.MadeAt, SpentAt: token.SpentAt, From: token.SpentFrom, By: token.SpentBy}
	return err
}

// ruleRows are the rules of redaction for secrets of known shapes.
func (s *Server) ruleRows() []settingsview.RuleRow {
	entries := s.cfg.Rules.Entries()
	rows := make([]settingsview.RuleRow, len(entries))
	for i, e := range entries {
		rows[i] = settingsview.RuleRow{Name: e.Name, About: e.About, Own: e.Own, Off: e.Off}
	}
	return rows
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
	return s.done(c, "theme", paths.Settings)
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
	return s.done(c, "keys", paths.Settings)
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
			return s.done(c, "password-changed", paths.Settings)
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
	return s.done(c, "session-ended", paths.Settings)
}

func (s *Server) endSessions(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	if _, err := s.cfg.Access.EndOtherSessions(c.Request().Context(), sessionOf(c), fields.Get("whose") == "all"); err != nil {
		return err
	}
	return s.done(c, "sessions-ended", paths.Settings)
}

// invite shows the token on the answer itself: it must not be kept anywhere that a later page could read it from.
func (s *Server) invite(c echo.Context) error {
	token, expires, err := s.cfg.Access.Invite(c.Request().Context(), actorOf(c))
	if err != nil {
		return err
	}
	sh, _, err := s.shell(c, "An invitation", layout.SectionSettings)
	if err != nil {
		return err
	}
	c.Response().Header().Set("HX-Push-Url", "false")
	return s.render(c, http.StatusOK, settingsview.Invited(settingsview.InvitedPage{Shell: sh, Token: token.Reveal(), Expires: expires}))
}

func (s *Server) uninvite(c echo.Context) error {
	if err := s.cfg.Access.Uninvite(c.Request().Context(), actorOf(c), c.Param("id")); err != nil {
		return err
	}
	return s.done(c, "uninvited", paths.Settings)
}

func (s *Server) askRemovePerson(c echo.Context) error {
	p, err := s.pathPerson(c)
	if err != nil {
		return err
	}
	return s.confirmRemoval(c, p, nil)
}

// pathPerson is the person that the address names.
func (s *Server) pathPerson(c echo.Context) (access.Person, error) {
	people, err := s.cfg.Access.People(c.Request().Context())
	if err != nil {
		return access.Person{}, err
	}
	i := slices.IndexFunc(people, func(p access.Person) bool { return p.ID == c.Param("id") })
	if i < 0 {
		return access.Person{}, app.E(app.CodeNotFound, "there is no such person", "Their access may have been taken away already.")
	}
	return people[i], nil
}

func (s *Server) confirmRemoval(c echo.Context, p access.Person, refused error) error {
	sh, _, err := s.shell(c, "Remove "+p.Name, layout.SectionSettings)
	if err != nil {
		return err
	}
	return s.confirmation(c, layout.ConfirmPage{
		Shell: sh, Question: "Remove " + p.Name + "?", Button: "Remove " + p.Name, Typed: p.Name, Action: paths.SettingsPersonURL(p.ID), Back: paths.Settings,
		Lines: []string{"Their sessions end at once, and their password counts no more.", "What they did stays in the audit log. They can be invited again."},
	}, refused)
}

func (s *Server) removePerson(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	p, err := s.pathPerson(c)
	if err != nil {
		return err
	}
	if err := typed(fields, p.Name); err != nil {
		return s.confirmRemoval(c, p, err)
	}
	err = s.cfg.Access.RemovePerson(c.Request().Context(), sessionOf(c), c.Param("id"))
	if err == nil {
		return s.done(c, "person-removed", paths.Settings)
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
	return s.done(c, "paused", paths.Settings)
}

func (s *Server) resumeExecutions(c echo.Context) error {
	if err := s.cfg.Access.ResumeExecutions(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	return s.done(c, "resumed", cameFrom(c.Request()))
}
