package web

import (
	"context"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/metrics"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/store"
)

// monitorRoutes returns the monitoring routes, which only the admin token opens. They show no
// secret and change nothing. A CPU profile takes ?seconds=.
func (s *Server) monitorRoutes() []httpx.Route {
	profile := echo.WrapHandler(http.HandlerFunc(pprof.Profile))
	return []httpx.Route{
		httpx.Get("/metrics", echo.WrapHandler(s.Metrics())),
		httpx.Get("/debug/pprof/", echo.WrapHandler(http.HandlerFunc(pprof.Index))),
		httpx.Get("/debug/pprof/profile", profile),
		httpx.Get("/debug/pprof/trace", echo.WrapHandler(http.HandlerFunc(pprof.Trace))),
		httpx.Get("/debug/pprof/symbol", echo.WrapHandler(http.HandlerFunc(pprof.Symbol))),
		httpx.Get("/debug/pprof/:name", func(c echo.Context) error {
			pprof.Handler(c.Param("name")).ServeHTTP(c.Response(), c.Request())
			return nil
		}),
	}
}

// withAdminToken admits requests that bear the admin token.
func (s *Server) withAdminToken(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		scheme, token, _ := strings.Cut(c.Request().Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			token = ""
		}
		if err := s.cfg.Access.AdminToken.Monitor(c.Request().Context(), c.RealIP(),
			app.NewSecret(strings.TrimSpace(token))); err != nil {
			return err
		}
		return next(c)
	}
}

// Metrics serves GET /metrics without authentication, for a separate listener.
func (s *Server) Metrics() http.Handler {
	return s.cfg.Metrics.Handler(s.state)
}

// state reads the values for the metrics and omits unreadable ones.
func (s *Server) state() metrics.State {
	ctx, cancel := context.WithTimeout(store.Urgent(context.Background()), time.Second)
	defer cancel()
	h := s.cfg.Engine.Health()
	disk, err := s.cfg.Engine.Statistics.FreeSpace(ctx)
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Error("the free space of the disk could not be read", "error", err)
	}
	now := metrics.State{
		Ready: h.Ready, Workers: h.Workers, WarmBoxes: h.Warm, TemplateReady: templateReady(h.Backends),
		Pending: h.Queued, Running: h.Running, AwaitingLLM: h.Waiting, AwaitingApproval: -1,
		OpenScripts: -1, OpenSkills: -1, OpenProfiles: -1, OpenHosts: -1,
		DiskFreeBytes: disk.Free, DiskSizeBytes: disk.Size, DiskFull: disk.Full,
	}
	if open, err := s.cfg.Engine.Approvals.Open(ctx); err == nil {
		now.AwaitingApproval = 0
		for _, a := range open {
			now.AwaitingApproval += a.Waiting
		}
	}
	if scripts, versions, err := s.cfg.Engine.Approvals.CountUndecided(ctx); err == nil {
		now.OpenScripts, now.OpenSkills = scripts, versions
	}
	if profiles, err := s.cfg.Access.Profiles.List(ctx); err == nil {
		now.OpenProfiles, now.OpenHosts = countUndecided(profiles, s.cfg.Now())
	}
	return now
}

// templateReady returns 1 if boxes fork as configured, 0 if not, -1 if none should.
func templateReady(backends []sandbox.BackendHealth) int {
	ready := -1
	for _, b := range backends {
		switch {
		case b.Afresh:
			return 0
		case b.InUse && b.Report.Templates:
			ready = 1
		}
	}
	return ready
}

// countUndecided counts unlocked profiles, and open host requests of locked ones.
func countUndecided(all []app.Profile, now time.Time) (profiles, hosts int) {
	for _, p := range all {
		switch p.State(now) {
		case app.StateUnlocked:
			profiles++
		case app.StateLocked:
			for _, h := range p.Hosts {
				if !h.Allowed {
					hosts++
				}
			}
		}
	}
	return profiles, hosts
}
