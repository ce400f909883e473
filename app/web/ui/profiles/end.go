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
	return h.Confirm(c, layout.SectionProfiles, confirmEnd(p, "Revoke", paths.ProfileRevoke,
		"Its agent can't run, poll or answer anything with it any more.",
		"For ten minutes you can undo it, if nothing else changes; what it stopped stays stopped."), nil)
}

func (h Handlers) askDeleteProfile(c echo.Context, p app.Profile) error {
	return h.confirmProfileDeletion(c, p, nil)
}

// confirmProfileDeletion asks for the profile's name. refused is the last attempt's error or nil.
func (h Handlers) confirmProfileDeletion(c echo.Context, p app.Profile, refused error) error {
	page := confirmEnd(p, "Delete", paths.ProfileDelete,
		"The profile disappears with its keys and hosts. The credentials stay.",
		"This can't be undone. What it ran stays in the list of executions.")
	page.Typed = typableName(p)
	return h.Confirm(c, layout.SectionProfiles, page, refused)
}

func confirmEnd(p app.Profile, verb, pattern string, lines ...string) layout.ConfirmPage {
	name := verb + " " + format.Title(p.Description)
	return layout.ConfirmPage{
		Question: name + "?", Action: paths.At(pattern, p.Handle), Button: name, Back: paths.ProfileURL(p.Handle),
		Lines: append([]string{"Running scripts are stopped at once and their connections closed."}, lines...),
	}
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
	_, err := h.Access.Lifecycle.Revoke(c.Request().Context(), uix.Actor(c), p.Handle)
	return h.redirectChanged(c, p, err, "profile-revoked", paths.ProfileURL(p.Handle))
}

func (h Handlers) deleteProfile(c echo.Context, p app.Profile, fields url.Values) error {
	if err := uix.CheckTyped(fields, typableName(p)); err != nil {
		return h.confirmProfileDeletion(c, p, err)
	}
	err := h.Access.Profiles.Delete(c.Request().Context(), uix.Actor(c), p.Handle)
	return h.redirectChanged(c, p, err, "profile-deleted", paths.Profiles)
}

func (h Handlers) restoreProfile(c echo.Context, p app.Profile) error {
	_, err := h.Access.Lifecycle.Restore(c.Request().Context(), uix.Actor(c), p.Handle)
	return h.redirectChanged(c, p, err, "profile-restored", paths.ProfileURL(p.Handle))
}

func (h Handlers) duplicateProfile(c echo.Context, p app.Profile) error {
	made, err := h.Access.Profiles.Duplicate(c.Request().Context(), uix.Actor(c), p.Handle)
	return h.redirectChanged(c, p, err, "profile-copied", paths.ProfileURL(made.Handle))
}

// redirectChanged leads to a page with a notice, or shows why the profile wasn't changed.
func (h Handlers) redirectChanged(c echo.Context, p app.Profile, err error, notice, to string) error {
	if err != nil {
		return h.refuseProfile(c, p.Handle, err)
	}
	return h.Done(c, notice, to)
}
