package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// statuses gives every code its HTTP status; this is the only place that does.
var statuses = map[app.Code]int{
	app.CodeInvalidJSON:        http.StatusBadRequest,
	app.CodeUnknownField:       http.StatusBadRequest,
	app.CodeInvalidField:       http.StatusBadRequest,
	app.CodeTooLarge:           http.StatusRequestEntityTooLarge,
	app.CodeUnauthorized:       http.StatusUnauthorized,
	app.CodeForbidden:          http.StatusForbidden,
	app.CodeNotFound:           http.StatusNotFound,
	app.CodeMethodNotAllowed:   http.StatusMethodNotAllowed,
	app.CodeUnsupportedMedia:   http.StatusUnsupportedMediaType,
	app.CodeProfileUnlocked:    http.StatusConflict,
	app.CodeProfileLocked:      http.StatusConflict,
	app.CodeProfileRevoked:     http.StatusForbidden,
	app.CodeProfileExpired:     http.StatusForbidden,
	app.CodeMissingValue:       http.StatusConflict,
	app.CodeNotWaiting:         http.StatusConflict,
	app.CodeRequestMismatch:    http.StatusConflict,
	app.CodeAlreadyEnded:       http.StatusConflict,
	app.CodeIdempotencyReused:  http.StatusConflict,
	app.CodeConflict:           http.StatusConflict,
	app.CodeInUse:              http.StatusConflict,
	app.CodeQueueFull:          http.StatusTooManyRequests,
	app.CodeRateLimited:        http.StatusTooManyRequests,
	app.CodeProfilesDisabled:   http.StatusForbidden,
	app.CodeSandboxUnavailable: http.StatusServiceUnavailable,
	app.CodeInstanceRetired:    http.StatusGone,
	app.CodeStorageBusy:        http.StatusServiceUnavailable,
	app.CodeStorageFull:        http.StatusServiceUnavailable,
	app.CodeUnreachable:        http.StatusBadGateway, // met by scripts, in the ledger
	app.CodeInternal:           http.StatusInternalServerError,
}

// errorBody is the one shape of every error.
type errorBody struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Code    app.Code `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint"`
	Field   string   `json:"field,omitempty"`
}

// fail answers a request whose handler returned an error; it is echo's HTTPErrorHandler.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return // the answer is on its way; what is left is the log
	}
	if errors.Is(err, context.Canceled) && c.Request().Context().Err() != nil {
		c.Response().Status = statusClientGone // nobody is there to read an answer
		return
	}
	e := s.explain(err, c)
	status, known := statuses[e.Code]
	if !known {
		status = http.StatusInternalServerError
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
			h.Set("Retry-After", retryAfter(e.Code))
		}
	}
	if isUI(c) {
		s.uiError(c, status, e)
		return
	}
	if err := c.JSON(status, errorBody{errorDetail{e.Code, e.Message, e.Hint, e.Field}}); err != nil {
		s.cfg.Log.Warn("an error answer could not be written", "error", err)
	}
}

// retryAfter is when to try again, in seconds. A queue has room soon; a disk has when somebody has made some.
func retryAfter(code app.Code) string {
	if code == app.CodeStorageFull {
		return "60"
	}
	return "5"
}

// statusClientGone is what the log shows for a client that left; nothing is sent.
const statusClientGone = 499

// explain turns any error into one that may be shown.
func (s *Server) explain(err error, c echo.Context) *app.Error {
	var known *app.Error
	if errors.As(err, &known) {
		return known
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		if tooLarge.Limit < app.MaxBody {
			return app.E(app.CodeTooLarge, "that is more than this form takes", "Go back and send less.")
		}
		return errBodyTooLarge(err)
	}
	var fromEcho *echo.HTTPError
	if errors.As(err, &fromEcho) {
		switch fromEcho.Code {
		case http.StatusNotFound:
			return app.E(app.CodeNotFound, "there is nothing at this path", "GET /skill.md lists every call.")
		case http.StatusMethodNotAllowed:
			return app.E(app.CodeMethodNotAllowed, "this path does not take "+shownMethod(c.Request().Method), "It takes "+strings.TrimPrefix(c.Response().Header().Get(echo.HeaderAllow), "OPTIONS, ")+"; GET /skill.md shows every call.")
		case http.StatusRequestEntityTooLarge:
			return errBodyTooLarge(err)
		}
	}
	e := app.E(app.CodeInternal, "something went wrong inside Airlock", "Try again; if it stays, the person who runs Airlock finds the cause in its log.")
	e.Cause = err
	return e
}

func errBodyTooLarge(cause error) *app.Error {
	e := app.E(app.CodeTooLarge, "the body is larger than 4 MiB", "Send less: a script has at most 1 MiB, and so have inputs and an LLM answer. Fetch large data from inside the script.")
	e.Cause = cause
	return e
}

func isUI(c echo.Context) bool {
	path := c.Request().URL.Path
	return path == "/ui" || strings.HasPrefix(path, "/ui/")
}
