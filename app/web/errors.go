package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

// fail answers a request with its handler's error. It is echo's HTTPErrorHandler.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return // the answer is on its way; only log
	}
	cutOff := errors.Is(err, context.Canceled) && c.Request().Context().Err() != nil
	httpx.DiscardBody(c)
	e := httpx.Explain(c, err)
	status := httpx.Status(e.Code)
	if cutOff {
		e, status = app.E(app.CodeInvalidField, "the request ended too early",
			"See whether it took effect before you send it again."), statusCutOff
	}
	if status >= 500 || e.Cause != nil {
		s.cfg.Log.LogAttrs(c.Request().Context(), levelFor(status), "request failed", failure(c, e)...)
	}
	h := c.Response().Header()
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="airlock"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if h.Get("Retry-After") == "" {
			h.Set("Retry-After", httpx.RetryAfter(e.Code))
		}
	}
	if isUI(c) {
		s.ui.AnswerError(c, status, e)
		return
	}
	if err := c.JSON(status, app.ErrorBody{Error: e}); err != nil {
		s.cfg.Log.Warn("an error answer could not be written", "error", err)
	}
}

// statusCutOff is for clients that left. One that only stopped sending may still read the answer.
const statusCutOff = 499

func isUI(c echo.Context) bool {
	path := c.Request().URL.Path
	return path == "/ui" || strings.HasPrefix(path, "/ui/")
}
