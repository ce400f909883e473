package profiles

import (
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h *Handlers) askRevoke(c echo.Context) error {
	return h.askAboutProfile(c, ending{verb: "Revoke", action: paths.ProfileRevokeURL},
		"Running scripts are stopped at once and their connections closed.",
		"Its agent can't run, poll or answer anything with it any more.",
		"For ten minutes you can undo it, if nothing else changes; what it stopped stays stopped.")
}

func (h *Handlers) askDeleteProfile(c echo.Context) error { return h.confirmProfileDeletion(c, nil) }

func (h *Handlers) confirmProfileDeletion(c echo.Context, refused error) error {
	return h.askAboutProfile(c, ending{verb: "Delete", action: paths.ProfileDeleteURL, final: true, refused: refused},
		"Running scripts are stopped at once and their connections closed.",
		"The profile disappears with its keys and hosts. The credentials stay.",
		"This can't be undone. What it ran stays in the list of executions.")
}

// ending is a way in which a profile ends.
type ending struct {
	verb    string
	action  func(handle string) string
	final   bool  // nothing brings it back, so its name has to be typed
	refused error // why it was not done; nil before it was tried
}

func (h *Handlers) askAboutProfile(c echo.Context, e ending, lines ...string) error {
	p, err := h.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	name := e.verb + " " + format.Title(p.Description)
	sh, _, err := h.Shell(c, name, layout.SectionProfiles)
	if err != nil {
		return err
	}
	page := layout.ConfirmPage{
		Shell: sh, Question: name + "?", Lines: lines, Action: e.action(p.Handle), Button: name,
		Back: paths.ProfileURL(p.Handle),
	}
	if e.final {
		page.Typed = spokenName(p)
	}
	return h.Confirm(c, page, e.refused)
}

// spokenName is what a person types to name a profile: its title, or the beginning of its handle
// where the title is too long to type.
func spokenName(p app.Profile) string {
	const typable = 40
	if title := app.VisibleText(format.Title(p.Description)); utf8.RuneCountInString(title) <= typable {
		return title
	}
	return format.ShortHandle(p.Handle)
}

func (h *Handlers) revokeProfile(c echo.Context) error {
	p, err := h.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if _, err := h.access.Lifecycle.Revoke(ctx, uix.Actor(c), p.Handle); err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	if err := h.engine.Controller.KillProfile(ctx, p.Handle, "the profile was revoked"); err != nil {
		return err
	}
	return h.Done(c, "profile-revoked", paths.ProfileURL(p.Handle))
}

func (h *Handlers) deleteProfile(c echo.Context) error {
	fields, err := uix.Form(c)
	if err != nil {
		return err
	}
	p, err := h.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	if err := uix.CheckTyped(fields, spokenName(p)); err != nil {
		return h.confirmProfileDeletion(c, err)
	}
	ctx := c.Request().Context()
	if err := h.access.Profiles.Delete(ctx, uix.Actor(c), p.Handle); err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	if err := h.engine.Controller.KillProfile(ctx, p.Handle, "the profile was deleted"); err != nil {
		return err
	}
	return h.Done(c, "profile-deleted", paths.Profiles)
}

func (h *Handlers) restoreProfile(c echo.Context) error {
	p, err := h.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	if _, err := h.access.Lifecycle.Restore(c.Request().Context(), uix.Actor(c), p.Handle); err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	return h.Done(c, "profile-restored", paths.ProfileURL(p.Handle))
}

func (h *Handlers) duplicateProfile(c echo.Context) error {
	p, err := h.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	made, err := h.access.Profiles.Duplicate(c.Request().Context(), uix.Actor(c), p.Handle)
	if err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	return h.Done(c, "profile-copied", paths.ProfileURL(made.Handle))
}
