package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// route is one call of the agent API.
type route struct {
	method string
	path   string
	handle echo.HandlerFunc
}

// agentRoutes is the whole agent API. These paths are version 1 and only ever grow. None looks at a cookie.
func (s *Server) agentRoutes() []route {
	return []route{
		{http.MethodPost, "/profiles", s.createProfile},
		{http.MethodGet, "/profiles/:id", s.readProfile}, // id may be "self" with a bearer, here and below
		{http.MethodPost, "/profiles/:id/keys", s.addKeys},
		{http.MethodDelete, "/profiles/:id/keys/:name", s.removeKey},
		{http.MethodPost, "/profiles/:id/hosts", s.proposeHosts},

		{http.MethodPost, "/execute", s.execute},
		{http.MethodGet, "/executions", s.listExecutions},
		{http.MethodGet, "/executions/:id", s.readExecution},
		{http.MethodPost, "/executions/:id/respond", s.respond},
		{http.MethodPost, "/executions/:id/cancel", s.cancel},
		{http.MethodPost, "/executions/:id/rerun", s.rerun},

		{http.MethodGet, "/health", s.health},
		{http.MethodGet, "/packages", s.packages},
		{http.MethodGet, "/skill.md", s.skill},
		{http.MethodGet, "/openapi.json", s.openAPI},
		{http.MethodGet, "/airlock.pyi", s.stubs},
	}
}

// routes registers everything the server answers.
func (s *Server) routes(e *echo.Echo) {
	for _, r := range s.agentRoutes() {
		e.Add(r.method, r.path, r.handle)
		if r.method == http.MethodGet {
			e.Add(http.MethodHead, r.path, r.handle)
		}
	}
	for _, r := range s.monitorRoutes() {
		e.Add(r.method, r.path, r.handle, s.withAdminToken)
	}
	e.Any("/mcp", s.modelContext(e))
	e.GET("/", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/ui") })
	s.uiRoutes(e.Group("/ui"))
}
