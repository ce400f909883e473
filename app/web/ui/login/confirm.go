package login

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/authview"
)

func (h Handlers) showFresh(c echo.Context) error {
	return h.freshPage(c, http.StatusOK, uix.LocalPage(c.QueryParam("next")), "", "")
}

// freshPage asks for the password, or a passkey if the person has one here.
func (h Handlers) freshPage(c echo.Context, status int, next, problem, passkeyProblem string) error {
	page := authview.PasswordPage{
		Shell: h.BareShell(c, "Confirm your password"), Name: uix.Actor(c).Name, Next: next, Problem: problem,
	}
	passkeys, err := h.Access.Passkeys.List(c.Request().Context(), uix.Session(c).PersonID)
	if err != nil {
		return err
	}
	if len(passkeys) > 0 {
		if page.Passkeys = h.passkeyForm(c); page.Passkeys != nil {
			page.Passkeys.Problem = passkeyProblem
		}
	}
	return h.Render(c, status, authview.Password(page))
}

func (h Handlers) confirmPassword(c echo.Context, fields url.Values) error {
	next := uix.LocalPage(fields.Get("next"))
	err := h.Access.Logins.Confirm(c.Request().Context(), uix.Session(c), app.NewSecret(fields.Get("password")))
	if err == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	status, problem, err := refusal(err, "")
	if err != nil {
		return err
	}
	return h.freshPage(c, status, next, problem, "")
}
