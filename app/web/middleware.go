package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/paths"
)

// logRequests logs method, route template, status, time, client address and handles of each
// request. It never logs paths or queries: ids in them are tokens.
func (s *Server) logRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.cfg.Now()
		if err := next(c); err != nil {
			c.Error(err)
		}
		route := c.Path()
		if route == "" {
			route = "(none)"
		}
		took := s.cfg.Now().Sub(start)
		s.cfg.Metrics.Request(httpx.ShownMethod(c.Request().Method), route, c.Response().Status, took, waits(c, route))
		level := max(slog.LevelInfo, levelFor(c.Response().Status))
		if route == "/health" && level == slog.LevelInfo {
			level = slog.LevelDebug
		}
		attrs := []slog.Attr{
			slog.String("method", httpx.ShownMethod(c.Request().Method)),
			slog.String("route", route),
			slog.Int("status", c.Response().Status),
			slog.Int64("ms", took.Milliseconds()),
			slog.String("from", c.RealIP()),
		}
		profile, execution := httpx.LoggedHandles(c)
		for _, a := range []slog.Attr{
			slog.String("profile", profile), slog.String("execution", execution), slog.String("trace",
				httpx.TraceID(c)),
		} {
			if a.Value.String() != "" {
				attrs = append(attrs, a)
			}
		}
		s.cfg.Log.LogAttrs(c.Request().Context(), level, "request", attrs...)
		return nil
	}
}

// waits reports whether a request is held until something happens.
func waits(c echo.Context, route string) bool {
	return c.QueryParam("wait") != "" || route == paths.Events || route == "/mcp" ||
		strings.HasPrefix(route, "/debug/pprof/")
}

// recoverPanics turns a panic into an internal error. It logs the panic's type only: its text could
// quote a request.
func (s *Server) recoverPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			if r == http.ErrAbortHandler { //nolint:errorlint // the sentinel itself is what net/http looks for
				panic(r)
			}
			s.cfg.Log.Error("panic in a handler", "route", c.Path(), "kind", fmt.Sprintf("%T", r), "stack",
				string(debug.Stack()))
			err = errPanicked
		}()
		return next(c)
	}
}

var errPanicked = errors.New("web: a handler panicked")

// secureHeaders sets the headers of every answer. The UI adds a content security policy to pages.
func secureHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy",
			"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("Cache-Control", "no-store")
		return next(c)
	}
}

// refuseCrossOrigin refuses unsafe requests from another site's page. Programs send neither header
// it checks.
func (s *Server) refuseCrossOrigin() echo.MiddlewareFunc {
	protection := http.NewCrossOriginProtection()
	if s.cfg.PublicURL != "" {
		// Behind a proxy that rewrites Host, pages have the public origin. cmd/airlock has checked
		// that it is an origin.
		if err := protection.AddTrustedOrigin(s.cfg.PublicURL); err != nil {
			s.cfg.Log.Error("the public URL can't be used as an origin", "error", err)
		}
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			// Behind a trusted proxy, pages have the name that the visitor sees.
			r := *c.Request()
			r.Host = s.origins.Host(&r)
			if err := protection.Check(&r); err != nil {
				e := app.E(app.CodeForbidden, "the request comes from a page of another site",
					"Open Airlock itself and try again there; programs send neither Origin nor Sec-Fetch-Site.")
				e.Cause = err
				return e
			}
			return next(c)
		}
	}
}

func levelFor(status int) slog.Level {
	switch {
	case status == http.StatusServiceUnavailable: // while stopping; the client shall come back
		return slog.LevelWarn
	case status >= 500:
		return slog.LevelError
	}
	return slog.LevelDebug
}

// failure describes a failed request for the log.
func failure(c echo.Context, e *app.Error) []slog.Attr {
	attrs := []slog.Attr{slog.String("route", c.Path()), slog.String("code", string(e.Code))}
	if e.Cause != nil {
		attrs = append(attrs, slog.String("cause", httpx.RedactTokens(e.Cause.Error())))
	}
	return attrs
}
