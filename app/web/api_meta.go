package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// APIVersion is the version of the unprefixed agent paths.
const APIVersion = 1

type healthView struct {
	Status     string      `json:"status"` // "ok" whenever the server serves
	Version    string      `json:"version"`
	APIVersion int         `json:"api_version"`
	Backend    string      `json:"backend,omitempty"`
	Isolation  string      `json:"isolation,omitempty"`
	Sandbox    sandboxView `json:"sandbox"`
}

type sandboxView struct {
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"`
}

// health answers GET /health. A sandbox that is not ready doesn't make the server unhealthy: people still need its pages to see why.
func (s *Server) health(c echo.Context) error {
	h := s.cfg.Engine.Health()
	view := healthView{Status: "ok", Version: s.cfg.Version, APIVersion: APIVersion, Backend: h.Backend, Isolation: h.Tier}
	view.Sandbox = sandboxView{Ready: h.Ready, Reason: h.Reason}
	return c.JSON(http.StatusOK, view)
}

// skill answers GET /skill.md: how to use this instance; with a bearer, that profile's keys and hosts too.
func (s *Server) skill(echo.Context) error { return echo.ErrNotFound }

// openAPI answers GET /openapi.json.
func (s *Server) openAPI(echo.Context) error { return echo.ErrNotFound }

// stubs answers GET /airlock.pyi: the types of the script SDK, for editors and agents.
func (s *Server) stubs(echo.Context) error { return echo.ErrNotFound }
