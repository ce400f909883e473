package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/store"
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
	Retired    bool        `json:"retired"` // it moved to another address and runs nothing any more
	Paused     bool        `json:"paused"`  // by a person: what is submitted waits in the queue
	Full       bool        `json:"full"`    // the disk is: nothing new is taken until there is room
}

type sandboxView struct {
	Ready    bool   `json:"ready"`
	Checking bool   `json:"checking,omitempty"` // just started: what is submitted waits
	Reason   string `json:"reason,omitempty"`
}

const checking = "the sandbox is being checked, which takes a moment; what is submitted meanwhile waits in the queue"

const stopping = "Airlock is being stopped and takes nothing new; what waits in the queue runs after its next start"

// notReady stands for the real reason, which tells of the host and is for people who are logged in.
const notReady = "no sandbox is ready; the Sandbox page of the UI and airlock doctor on the host say why"

// health answers GET /health. A sandbox that is not ready doesn't make the server unhealthy: people still need its pages to see why.
func (s *Server) health(c echo.Context) error {
	h := s.cfg.Engine.Health()
	view := healthView{Status: "ok", Version: s.cfg.Version, APIVersion: APIVersion, Backend: h.Backend, Isolation: h.Tier}
	view.Sandbox = sandboxView{Ready: h.Ready, Checking: h.Checking}
	switch {
	case h.Stopping:
		view.Sandbox.Reason = stopping
	case h.Checking:
		view.Sandbox.Reason = checking
	case !h.Ready:
		view.Sandbox.Reason = notReady
	}
	ctx, cancel := s.brief()
	defer cancel()
	paused, err := s.cfg.Access.Paused(ctx)
	if err != nil { // it serves all the same
		s.cfg.Log.Error("the switch that pauses executions could not be read", "error", err)
	}
	view.Paused = paused.On()
	retired, err := s.cfg.Access.Retired(ctx)
	if err != nil {
		s.cfg.Log.Error("whether the instance is retired could not be read", "error", err)
	}
	view.Retired = retired.On()
	view.Full = s.disk(ctx).Full
	return c.JSON(http.StatusOK, view)
}

// brief bounds what is asked of the database for an answer that must come soon, whatever else goes on.
func (s *Server) brief() (context.Context, context.CancelFunc) {
	return context.WithTimeout(store.Urgent(context.Background()), time.Second)
}

// skill answers GET /skill.md: how to use this instance; with a bearer, that profile's keys and hosts too.
func (s *Server) skill(c echo.Context) error {
	var mine *app.Profile
	token, err := bearer(c)
	if err != nil {
		return err
	}
	if token != "" {
		p, err := s.bearerProfile(c)
		if err != nil {
			return err
		}
		mine = &p
	}
	h := s.cfg.Engine.Health()
	text, err := apidocs.Dynamic(apidocs.Instance{
		URL: s.origins.BaseURL(c.Request()), Version: s.cfg.Version, Backend: h.Backend, Tier: h.Tier, Ready: h.Ready, Checking: h.Checking, Packages: s.importable(),
		Limits: s.cfg.Limits, TimeoutDefault: s.cfg.TimeoutDefault, TimeoutMax: s.cfg.TimeoutMax, LLMWait: s.cfg.LLMWait,
	}, mine, s.cfg.Now(), httpx.Statuses())
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "text/markdown; charset=utf-8", []byte(text))
}

// openAPI answers GET /openapi.json.
func (s *Server) openAPI(c echo.Context) error {
	text, err := apidocs.OpenAPI(s.cfg.Version, s.origins.BaseURL(c.Request()), httpx.Statuses())
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, text)
}

// stubs answers GET /airlock.pyi: the types of the script SDK, for editors and agents.
func (s *Server) stubs(c echo.Context) error {
	return c.Blob(http.StatusOK, "text/x-python; charset=utf-8", guest.Stub())
}
