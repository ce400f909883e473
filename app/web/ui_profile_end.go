package web

import (
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (s *Server) askRevoke(c echo.Context) error {
	return s.askAboutProfile(c, ending{verb: "Revoke", action: paths.ProfileRevokeURL}, "Running scripts are stopped at once and their connections closed.",
		"Its agent can't run, poll or answer anything with it any more.", "For ten minutes you can undo it, if nothing else changes; what it stopped stays stopped.")
}

func (s *Server) askDeleteProfile(c echo.Context) error { return s.confirmProfileDeletion(c, nil) }

func (s *Server) confirmProfileDeletion(c echo.Context, refused error) error {
	return s.askAboutProfile(c, ending{verb: "Delete", action: paths.ProfileDeleteURL, final: true, refused: refused}, "Running scripts are stopped at once and their connections closed.",
		"The profile disappears with its keys and hosts. The credentials stay.", "This can't be undone. What it ran stays in the list of executions.")
}

// ending is a way in which a profile ends.
type ending struct {
	verb    string
	action  func(handle string) string
	final   bool  // nothing brings it back, so its name has to be typed
	refused error // why it was not done; nil before it was tried
}

func (s *Server) askAboutProfile(c echo.Context, e ending, lines ...string) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	name := e.verb + " " + format.Title(p.Description)
	sh, _, err := s.shell(c, name, layout.SectionProfiles)
	if err != nil {
		return err
	}
	page := layout.ConfirmPage{Shell: sh, Question: name + "?", Lines: lines, Action: e.action(p.Handle), Button: name, Back: paths.ProfileURL(p.Handle)}
	if e.final {
		page.Typed = spokenName(p)
	}
	return s.confirmation(c, page, e.refused)
}

// spokenName is what a person types to name a profile: its title, or the beginning of its handle where the title is too long to type.
func spokenName(p app.Profile) string {
	const typable = 40
	if title := app.VisibleText(format.Title(p.Description)); utf8.RuneCountInString(title) <= typable {
		return title
	}
	return format.ShortHandle(p.Handle)
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
	return s.done(c, "profile-revoked", paths.ProfileURL(p.Handle))
}

func (s *Server) deleteProfile(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	if err := typed(fields, spokenName(p)); err != nil {
		return s.confirmProfileDeletion(c, err)
	}
	ctx := c.Request().Context()
	if err := s.cfg.Access.DeleteProfile(ctx, actorOf(c), p.Handle); err != nil {
		return s.refuseProfile(c, p.Handle, err, nil)
	}
	if err := s.cfg.Engine.KillProfile(ctx, p.Handle, "the profile was deleted"); err != nil {
		return err
	}
	return s.done(c, "profile-deleted", paths.Profiles)
}

func (s *Server) restoreProfile(c echo.Context) error {
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	if _, err := s.cfg.Access.Restore(c.Request().Context(), actorOf(c), p.Handle); err != nil {
		return s.refuseProfile(c, p.Handle, err, nil)
	}
	return s.done(c, "profile-restored", paths.ProfileURL(p.Handle))
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
	return s.done(c, "profile-copied", paths.ProfileURL(made.Handle))
}
