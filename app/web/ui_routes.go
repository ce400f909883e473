package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// uiRoutes registers the admin UI under /ui.
func (s *Server) uiRoutes(g *echo.Group) {
	g.GET("", func(c echo.Context) error { return c.String(http.StatusOK, "Airlock") })
}

// uiError answers a failed request under /ui with a page. The status is the one that errors.go gives the code.
func (s *Server) uiError(c echo.Context, status int, e *app.Error) {
	_ = c.String(status, e.Message+"\n"+e.Hint+"\n")
}
