package login

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/authview"
)

func (h Handlers) showWelcome(c echo.Context) error {
	return h.welcomePage(c, http.StatusOK, authview.WelcomePage{Next: uix.LocalPage(c.QueryParam("next"))})
}

// welcomePage serves holders of a token; others log in first.
func (h Handlers) welcomePage(c echo.Context, status int, page authview.WelcomePage) (err error) {
	ctx := c.Request().Context()
	if page.Known, err = h.Access.Enrollment.IsEnrolling(ctx, uix.SessionToken(c)); err != nil {
		return err
	}
	founded, err := h.Access.People.Exist(ctx)
	if err != nil {
		return err
	}
	page.Shell, page.First = h.BareShell(c, "Create your account"), !founded
	return h.Render(c, status, authview.Welcome(page))
}

func (h Handlers) join(c echo.Context, fields url.Values) error {
	page := authview.WelcomePage{Name: fields.Get("name"), Next: uix.LocalPage(fields.Get("next"))}
	if page.Problems = uix.CheckRepeated(fields.Get("password"), fields.Get("password-again"),
		"password-again"); page.Problems != nil {
		return h.welcomePage(c, http.StatusUnprocessableEntity, page)
	}
	opened, err := h.Access.Enrollment.Join(c.Request().Context(), uix.SessionToken(c), c.RealIP(),
		c.Request().UserAgent(),
		page.Name, app.NewSecret(fields.Get("password")))
	if err == nil {
		h.setSession(c, opened)
		return c.Redirect(http.StatusSeeOther, page.Next)
	}
	if page.Problems, err = uix.Problems(err, map[string]string{"name": "name", "password": "password"}); err != nil {
		return err
	}
	return h.welcomePage(c, http.StatusUnprocessableEntity, page)
}
