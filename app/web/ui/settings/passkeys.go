package settings

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

func (h Handlers) addPasskeys(c echo.Context, page *settingsview.SettingsPage) (err error) {
	if rp, err := h.RelyingParty(c); err == nil {
		page.PasskeyOrigin = rp.Origin
	}
	page.Passkeys, err = h.Access.Passkeys.List(c.Request().Context(), page.PersonID)
	return err
}

func (h Handlers) showNewPasskey(c echo.Context) error {
	return h.newPasskeyPage(c, http.StatusOK, format.Browser(c.Request().UserAgent()), nil)
}

func (h Handlers) newPasskeyPage(c echo.Context, status int, name string, found components.Problems) error {
	rp, err := h.RelyingParty(c)
	if err != nil {
		return err
	}
	sh, _, err := h.Shell(c, "Add a passkey", layout.SectionSettings)
	if err != nil {
		return err
	}
	return h.Render(c, status, settingsview.NewPasskey(settingsview.NewPasskeyPage{
		Shell: sh, Name: name, Problems: found, Form: components.PasskeyForm{Origin: rp.Origin, Problem: found.Of("passkey")},
	}))
}

// newPasskeyOptions answers with a browser's options for a new passkey.
func (h Handlers) newPasskeyOptions(c echo.Context) error {
	rp, err := h.RelyingParty(c)
	if err != nil {
		return err
	}
	options, err := h.Access.Passkeys.RegistrationOptions(c.Request().Context(), uix.Session(c), rp)
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, options)
}

func (h Handlers) addPasskey(c echo.Context, fields url.Values) error {
	rp, err := h.RelyingParty(c)
	if err != nil {
		return err
	}
	name := fields.Get("name")
	err = h.Access.Passkeys.Register(c.Request().Context(), uix.Session(c), rp, name,
		[]byte(fields.Get("credential")))
	if err == nil {
		return h.Done(c, "passkey-added", paths.Settings)
	}
	found, err := uix.Problems(err, map[string]string{"name": "name", "passkey": "passkey", "passkeys": "passkey"})
	if err != nil {
		return err
	}
	return h.newPasskeyPage(c, http.StatusUnprocessableEntity, name, found)
}

func (h Handlers) renamePasskey(c echo.Context, fields url.Values) error {
	err := h.Access.Passkeys.Rename(c.Request().Context(), uix.Session(c), c.Param("id"), fields.Get("name"))
	if err != nil {
		return err
	}
	return h.Done(c, "passkey-renamed", paths.Settings)
}

func (h Handlers) removePasskey(c echo.Context) error {
	if err := h.Access.Passkeys.Remove(c.Request().Context(), uix.Session(c), c.Param("id")); err != nil {
		return err
	}
	return h.Done(c, "passkey-removed", paths.Settings)
}
