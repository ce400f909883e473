package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/web/httpx"
)

// addRoutes registers everything that the server answers.
func (s *Server) addRoutes(e *echo.Echo) {
	for _, r := range s.api.Routes() {
		e.Add(r.Method, r.Path, r.Handle)
		if r.Method == http.MethodGet {
			e.Add(http.MethodHead, r.Path, r.Handle)
		}
	}
	for _, r := range s.monitorRoutes() {
		e.Add(r.Method, r.Path, r.Handle, s.withAdminToken)
	}
	e.Any("/mcp", s.mcp.Serve)
	e.GET("/", httpx.Redirect("/ui"))
	s.ui.Register(e.Group("/ui"))
}
