package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

func (s *Server) showSettings(c echo.Context) error {
	sh, _, err := s.shell(c, "Settings", views.SectionSettings)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.SettingsView(views.SettingsPage{Shell: sh, Address: c.RealIP()}))
}

// setTheme keeps the theme in a cookie, so that the first paint has it already.
func (s *Server) setTheme(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	switch theme := fields.Get("theme"); theme {
	case "light", "dark":
		s.setCookie(c, themeCookie, theme, 365*24*time.Hour)
	case "":
		s.setCookie(c, themeCookie, "", -time.Second)
	default:
		return app.Invalid("theme", "this theme is not known", "Choose one of the list.")
	}
	return s.done(c, "theme", views.Settings)
}
