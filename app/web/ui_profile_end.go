package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/views"
)

func (s *Server) askRevoke(c echo.Context) error {
	return s.askAboutProfile(c, "Revoke", views.ProfileRevokeURL, "Running scripts are stopped at once and their connections closed.",
		"Its agent can't run, poll or answer anything with it any more.", "For ten minutes you can undo it, if nothing else changes; what it stopped stays stopped.")
}

func (s *Server) askDeleteProfile(c echo.Context) error {
	return s.askAboutProfile(c, "Delete", views.ProfileDeleteURL, "Running scripts are stopped at once and their connections closed.",
		"The profile disappears with its keys and hosts. The credentials stay.", "This can't be undone. What it ran stays in the list of executions.")
}

func (s *Server) askAboutProfile(c echo.Context, verb string, action func(string) string, lines ...string) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	name := verb + " " + views.Title(p.Description)
	sh, _, err := s.shell(c, name, views.SectionProfiles)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.ConfirmView(views.ConfirmPage{
		Shell: sh, Question: name + "?", Lines: lines, Action: action(p.Handle), Button: name, Back: views.ProfileURL(p.Handle),
	}))
}

func (s *Server) revokeProfile(c echo.Context) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if _, err := s.cfg.Access.Revoke(ctx, actorOf(c), p.Handle); err != nil {
		return s.refuseProfile(c, p.Handle, err, nil)
	}
	if err := s.cfg.Engine.KillProfile(ctx, p.Handle, "the profile was revoked"); err != nil {
		return err
	}
	return s.done(c, "profile-revoked", views.ProfileURL(p.Handle))
}

func (s *Server) deleteProfile(c echo.Context) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := s.cfg.Access.DeleteProfile(ctx, actorOf(c), p.Handle); err != nil {
		return s.refuseProfile(c, p.Handle, err, nil)
	}
	if err := s.cfg.Engine.KillProfile(ctx, p.Handle, "the profile was deleted"); err != nil {
		return err
	}
	return s.done(c, "profile-deleted", views.Profiles)
}

func (s *Server) restoreProfile(c echo.Context) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	if _, err := s.cfg.Access.Restore(c.Request().Context(), actorOf(c), p.Handle); err != nil {
		return s.refuseProfile(c, p.Handle, err, nil)
	}
	return s.done(c, "profile-restored", views.ProfileURL(p.Handle))
}

func (s *Server) duplicateProfile(c echo.Context) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	made, err := s.cfg.Access.DuplicateProfile(c.Request().Context(), actorOf(c), p.Handle)
	if err != nil {
		return s.refuseProfile(c, p.Handle, err, nil)
	}
	return s.done(c, "profile-copied", views.ProfileURL(made.Handle))
}
