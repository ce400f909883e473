package settings

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

func (h Handlers) changePassword(c echo.Context, fields url.Values) error {
	found := uix.CheckRepeated(fields.Get("password"), fields.Get("password-again"), "password-again")
	if found == nil {
		err := h.Access.People.ChangePassword(c.Request().Context(), uix.Session(c), app.NewSecret(fields.Get("old")),
			app.NewSecret(fields.Get("password")))
		if err == nil {
			return h.Done(c, "password-changed", paths.Settings)
		}
		if found, err = uix.Problems(err, map[string]string{"old": "old", "password": "password"}); err != nil {
			return err
		}
	}
	return h.settingsPage(c, http.StatusUnprocessableEntity, paths.Settings, found)
}

func (h Handlers) endSession(c echo.Context) error {
	if err := h.Access.Sessions.End(c.Request().Context(), uix.Session(c), c.Param("id")); err != nil {
		return err
	}
	return h.Done(c, "session-ended", paths.Settings)
}

func (h Handlers) endSessions(c echo.Context, fields url.Values) error {
	if _, err := h.Access.Sessions.EndOthers(c.Request().Context(), uix.Session(c),
		fields.Get("whose") == "all"); err != nil {
		return err
	}
	return h.Done(c, "sessions-ended", paths.Settings)
}
