package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/web/httpx"
)

// agentRoutes is the whole agent API. These paths are version 1 and only ever grow. None looks at a cookie.
func (s *Server) agentRoutes() []httpx.Route {
	return []httpx.Route{
		httpx.Post("/profiles", s.createProfile),
		httpx.Get("/profiles/:id", s.readProfile), // id may be "self" with a bearer, here and below
		httpx.Post("/profiles/:id/keys", s.addKeys),
		httpx.Delete("/profiles/:id/keys/:name", s.removeKey),
		httpx.Post("/profiles/:id/hosts", s.proposeHosts),

		httpx.Post("/execute", s.execute),
		httpx.Get("/executions", s.listExecutions),
		httpx.Get("/executions/:id", s.readExecution),
		httpx.Post("/executions/:id/respond", s.respond),
		httpx.Post("/executions/:id/cancel", s.cancel),
		httpx.Post("/executions/:id/rerun", s.rerun),

		httpx.Get("/health", s.health),
		httpx.Get("/packages", s.packages),
		httpx.Get("/skill.md", s.skill),
		httpx.Get("/openapi.json", s.openAPI),
		httpx.Get("/airlock.pyi", s.stubs),
	}
}

// routes registers everything the server answers.
func (s *Server) routes(e *echo.Echo) {
	for _, r := range s.agentRoutes() {
		e.Add(r.Method, r.Path, r.Handle)
		if r.Method == http.MethodGet {
			e.Add(http.MethodHead, r.Path, r.Handle)
		}
	}
	for _, r := range s.monitorRoutes() {
		e.Add(r.Method, r.Path, r.Handle, s.withAdminToken)
	}
	e.Any("/mcp", s.modelContext(e))
	e.GET("/", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/ui") })
	s.uiRoutes(e.Group("/ui"))
}
