package login

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/authview"
	"github.com/computclaw/airlock/views/paths"
)

func (h Handlers) showLogin(c echo.Context) error { return h.loginPage(c, false) }

func (h Handlers) showToken(c echo.Context) error { return h.loginPage(c, true) }

// loginPage redirects people who are fully or half logged in.
func (h Handlers) loginPage(c echo.Context, token bool) error {
	ctx, next := c.Request().Context(), uix.LocalPage(c.QueryParam("next"))
	if _, err := h.Access.Sessions.Touch(ctx, uix.SessionToken(c), c.RealIP()); err == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	if _, err := h.Access.Enrollment.IsEnrolling(ctx, uix.SessionToken(c)); err == nil {
		return c.Redirect(http.StatusSeeOther, paths.WelcomeURL(next))
	}
	founded, err := h.Access.People.Exist(ctx)
	if err != nil {
		return err
	}
	notice, _ := h.TakeNotice(c)
	page := h.newPage(c, next)
	page.First, page.Token, page.Said = !founded, token || !founded, notice
	return h.Render(c, http.StatusOK, authview.Login(page))
}

func (h Handlers) newPage(c echo.Context, next string) authview.LoginPage {
	return authview.LoginPage{
		Shell: h.BareShell(c, "Log in"), Next: next, TokenAt: h.TokenPlace, Passkeys: h.passkeyForm(c),
	}
}

func (h Handlers) login(c echo.Context, fields url.Values) (err error) {
	ctx := c.Request().Context()
	page := h.newPage(c, uix.LocalPage(fields.Get("next")))
	page.Name, page.Token = fields.Get("name"), fields.Has("token")
	to := page.Next
	var opened auth.Opened
	if page.Token {
		to = paths.WelcomeURL(page.Next)
		opened, err = h.Access.Enrollment.Enroll(ctx, c.RealIP(), c.Request().UserAgent(),
			app.NewSecret(strings.TrimSpace(fields.Get("token"))))
	} else {
		opened, err = h.Access.Logins.Login(ctx, c.RealIP(), c.Request().UserAgent(), page.Name,
			app.NewSecret(fields.Get("password")))
	}
	if err == nil {
		h.setSession(c, opened)
		return c.Redirect(http.StatusSeeOther, to)
	}
	return h.refuseLogin(c, page, err)
}

// refuseLogin shows the form again. It doesn't tell a wrong name from a wrong password.
func (h Handlers) refuseLogin(c echo.Context, page authview.LoginPage, cause error) error {
	founded, err := h.Access.People.Exist(c.Request().Context())
	if err != nil {
		return err
	}
	page.First = !founded
	wrong := "The name or the password is wrong."
	if page.Token {
		wrong = "This token is invalid or has already been used."
	}
	var status int
	if status, page.Problem, err = refusal(cause, wrong); err != nil {
		return err
	}
	return h.Render(c, status, authview.Login(page))
}

const wrongPasskey = "This passkey is not known here, or it took too long. Try again, or use your password."

// refusal returns status and words for a refused login or confirmation. wrong is what
// CodeUnauthorized means, or "". It returns errors that a person can't solve.
func refusal(err error, wrong string) (status int, problem string, other error) {
	known, _ := uix.AppError(err)
	switch code := app.CodeOf(err); {
	case code == app.CodeUnauthorized && wrong != "":
		return http.StatusUnprocessableEntity, wrong, nil
	case code == app.CodeRateLimited:
		return http.StatusTooManyRequests, "There were too many attempts. Wait a minute, then try again.", nil
	case code == app.CodeConflict, code == app.CodeInvalidField: // a spent token, a session's wrong password
		return http.StatusUnprocessableEntity, uix.Sentences(known), nil
	}
	return 0, "", err
}

func (h Handlers) setSession(c echo.Context, opened auth.Opened) {
	h.SetCookie(c, uix.SessionCookie, opened.Token.Reveal(), max(opened.Expires.Sub(h.Now()), time.Second))
}

func (h Handlers) logout(c echo.Context) error {
	if cookie := uix.SessionToken(c); !cookie.Empty() {
		if err := h.Access.Sessions.Logout(c.Request().Context(), cookie, c.RealIP()); err != nil {
			return err
		}
	}
	h.SetCookie(c, uix.SessionCookie, "", -time.Second)
	return c.Redirect(http.StatusSeeOther, paths.Login)
}
