package profiles

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about profiles.
type Handlers struct{ *uix.UI }

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Profiles, h.showProfiles),
		httpx.Get(paths.ProfileNew, h.showNewProfile),
		uix.Post(paths.ProfileNew, h.createOwnProfile),
		httpx.Get(paths.ProfilePath, h.withProfile(h.showProfile)),
		uix.Post(paths.ProfileSetup, h.withProfileForm(h.setUpProfile)),
		uix.Post(paths.ProfileHosts, h.withProfileForm(h.changeHosts)),
		httpx.Get(paths.ProfileLock, h.withProfile(h.showLock)),
		uix.Post(paths.ProfileLock, h.withProfileForm(h.lockProfile)),
		uix.Post(paths.ProfileEdit, h.withProfileForm(h.editProfile)),
		httpx.Get(paths.ProfileRevoke, h.withProfile(h.askRevoke)),
		httpx.Post(paths.ProfileRevoke, h.withProfile(h.revokeProfile)),
		httpx.Post(paths.ProfileRestore, h.withProfile(h.restoreProfile)),
		httpx.Post(paths.ProfileCopy, h.withProfile(h.duplicateProfile)),
		httpx.Get(paths.ProfileDelete, h.withProfile(h.askDeleteProfile)),
		uix.Post(paths.ProfileDelete, h.withProfileForm(h.deleteProfile)),
	}
}

// withProfile passes the path's profile to a handler.
func (h Handlers) withProfile(handle func(echo.Context, app.Profile) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		p, err := h.Access.Profiles.ByHandle(c.Request().Context(), c.Param("handle"))
		if err != nil {
			return err
		}
		httpx.LogProfile(c, p.Handle)
		return handle(c, p)
	}
}

// withProfileForm is withProfile for a form.
func (h Handlers) withProfileForm(handle func(echo.Context, app.Profile, url.Values) error) uix.FormHandler {
	return func(c echo.Context, fields url.Values) error {
		return h.withProfile(func(c echo.Context, p app.Profile) error { return handle(c, p, fields) })(c)
	}
}
