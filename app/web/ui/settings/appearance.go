package settings

import (
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// setTheme stores the theme in a cookie, for the first paint.
func (h Handlers) setTheme(c echo.Context, fields url.Values) error {
	switch theme := fields.Get("theme"); theme {
	case "light", "dark":
		h.SetCookie(c, uix.ThemeCookie, theme, 365*24*time.Hour)
	case "":
		h.SetCookie(c, uix.ThemeCookie, "", -time.Second)
	default:
		return app.Invalid("theme", "this theme is not known", "Choose one from the list.")
	}
	return h.Done(c, "", uix.CameFrom(c.Request()))
}

// setKeys stores in a cookie whether single keys are commands.
func (h Handlers) setKeys(c echo.Context, fields url.Values) error {
	age := -time.Second
	if fields.Get("keys") == "off" {
		age = 365 * 24 * time.Hour
	}
	h.SetCookie(c, uix.KeysCookie, "off", age)
	return h.Done(c, "keys", paths.Settings)
}
