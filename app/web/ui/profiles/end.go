package profiles

import (
	"net/url"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h Handlers) askRevoke(c echo.Context, p app.Profile) error {
	return h.askAboutProfile(c, p, ending{verb: "Revoke", path: paths.ProfileRevoke},
		"Running scripts are stopped at once and their connections closed.",
		"Its agent can't run, poll or answer anything with it any more.",
		"For ten minutes you can undo it, if nothing else changes; what it stopped stays stopped.")
}

func (h Handlers) askDeleteProfile(c echo.Context, p app.Profile) error {
	return h.confirmProfileDeletion(c, p, nil)
}

func (h Handlers) confirmProfileDeletion(c echo.Context, p app.Profile, refused error) error {
	return h.askAboutProfile(c, p, ending{verb: "Delete", path: paths.ProfileDelete, final: true, refused: refused},
		"Running scripts are stopped at once and their connections closed.",
		"The profile disappears with its keys and hosts. The credentials stay.",
		"This can't be undone. What it ran stays in the list of executions.")
}

// ending describes how a profile ends.
type ending struct {
	verb    string
	path    string // pattern of its page
	final   bool   // irreversible, so its name must be typed
	refused error  // why it failed; nil before
}

func (h Handlers) askAboutProfile(c echo.Context, p app.Profile, e ending, lines ...string) error {
	name := e.verb + " " + format.Title(p.Description)
	page := layout.ConfirmPage{
		Question: name + "?", Lines: lines, Action: paths.At(e.path, p.Handle), Button: name,
		Back: paths.ProfileURL(p.Handle),
	}
	if e.final {
		page.Typed = typableName(p)
	}
	return h.Confirm(c, layout.SectionProfiles, page, e.refused)
}

// typableName returns a profile's title to type, or the handle's beginning for long titles.
func typableName(p app.Profile) string {
	const typable = 40
	if title := app.VisibleText(format.Title(p.Description)); utf8.RuneCountInString(title) <= typable {
		return title
	}
	return format.ShortHandle(p.Handle)
}

func (h Handlers) revokeProfile(c echo.Context, p app.Profile) error {
	if _, err := h.Access.Lifecycle.Revoke(c.Request().Context(), uix.Actor(c), p.Handle); err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	return h.Done(c, "profile-revoked", paths.ProfileURL(p.Handle))
}

func (h Handlers) deleteProfile(c echo.Context, p app.Profile, fields url.Values) error {
	if err := uix.CheckTyped(fields, typableName(p)); err != nil {
		return h.confirmProfileDeletion(c, p, err)
	}
	if err := h.Access.Profiles.Delete(c.Request().Context(), uix.Actor(c), p.Handle); err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	return h.Done(c, "profile-deleted", paths.Profiles)
}

func (h Handlers) restoreProfile(c echo.Context, p app.Profile) error {
	if _, err := h.Access.Lifecycle.Restore(c.Request().Context(), uix.Actor(c), p.Handle); err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	return h.Done(c, "profile-restored", paths.ProfileURL(p.Handle))
}

func (h Handlers) duplicateProfile(c echo.Context, p app.Profile) error {
	made, err := h.Access.Profiles.Duplicate(c.Request().Context(), uix.Actor(c), p.Handle)
	if err != nil {
		return h.refuseProfile(c, p.Handle, err, nil)
	}
	return h.Done(c, "profile-copied", paths.ProfileURL(made.Handle))
}
