package login

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/authview"
	"github.com/computclaw/airlock/views/components"
)

// passkeyOptions answers with the browser's options for login or confirmation.
func (h Handlers) passkeyOptions(c echo.Context) error {
	rp, err := h.RelyingParty(c)
	if err != nil {
		return err
	}
	options, err := h.Access.Passkeys.LoginOptions(rp)
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, options)
}

func (h Handlers) loginWithPasskey(c echo.Context, fields url.Values) error {
	rp, err := h.RelyingParty(c)
	if err != nil {
		return err
	}
	page := h.newPage(c, uix.LocalPage(fields.Get("next")))
	opened, err := h.Access.Passkeys.Login(c.Request().Context(), rp, c.RealIP(), c.Request().UserAgent(),
		[]byte(fields.Get("credential")))
	if err == nil {
		h.setSession(c, opened)
		return c.Redirect(http.StatusSeeOther, page.Next)
	}
	var status int
	if status, page.Passkeys.Problem, err = refusal(err, wrongPasskey); err != nil {
		return err
	}
	return h.Render(c, status, authview.Login(page))
}

func (h Handlers) confirmWithPasskey(c echo.Context, fields url.Values) error {
	rp, err := h.RelyingParty(c)
	if err != nil {
		return err
	}
	next := uix.LocalPage(fields.Get("next"))
	err = h.Access.Passkeys.Confirm(c.Request().Context(), uix.Session(c), rp, []byte(fields.Get("credential")))
	if err == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	status, problem, err := refusal(err, wrongPasskey)
	if err != nil {
		return err
	}
	return h.freshPage(c, status, next, "", problem)
}

// passkeyForm returns the passkey form, or nil.
func (h Handlers) passkeyForm(c echo.Context) *components.PasskeyForm {
	rp, err := h.RelyingParty(c)
	if err != nil {
		return nil
	}
	return &components.PasskeyForm{Origin: rp.Origin}
}
