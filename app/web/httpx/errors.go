package httpx

import (
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// statuses gives every code its HTTP status. Only cut-off requests get theirs elsewhere.
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
	app.CodeFileNotFound:       http.StatusNotFound,
	app.CodeNotWaiting:         http.StatusConflict,
	app.CodeRequestMismatch:    http.StatusConflict,
	app.CodeAlreadyEnded:       http.StatusConflict,
	app.CodeIdempotencyReused:  http.StatusConflict,
	app.CodeConflict:           http.StatusConflict,
	app.CodeInUse:              http.StatusConflict,
	app.CodeScriptNotAllowed:   http.StatusForbidden,
	app.CodeScriptRefused:      http.StatusForbidden,
	app.CodeQueueFull:          http.StatusTooManyRequests,
	app.CodeRateLimited:        http.StatusTooManyRequests,
	app.CodeProfilesDisabled:   http.StatusForbidden,
	app.CodeSandboxUnavailable: http.StatusServiceUnavailable,
	app.CodeInstanceRetired:    http.StatusGone,
	app.CodeStorageBusy:        http.StatusServiceUnavailable,
	app.CodeStorageFull:        http.StatusServiceUnavailable,
	app.CodeInvalidSkill:       http.StatusUnprocessableEntity,
	app.CodeSkillNameTaken:     http.StatusConflict,
	app.CodeSkillNotFound:      http.StatusNotFound,
	app.CodeSkillNotApproved:   http.StatusConflict,
	app.CodeSkillRevoked:       http.StatusConflict,
	app.CodeSkillDisabled:      http.StatusConflict,
	app.CodePackageMissing:     http.StatusConflict,
	app.CodeUnreachable:        http.StatusBadGateway, // met by scripts, in the ledger
	app.CodeInternal:           http.StatusInternalServerError,
}

// Statuses returns the HTTP status of every code.
func Statuses() map[app.Code]int { return maps.Clone(statuses) }

// Status is the HTTP status of a code.
func Status(code app.Code) int {
	if status, known := statuses[code]; known {
		return status
	}
	return http.StatusInternalServerError
}

// RetryAfter returns how many seconds to wait after a code. Full disks take longer than full
// queues.
func RetryAfter(code app.Code) string {
	if code == app.CodeStorageFull {
		return "60"
	}
	return "5"
}

// FieldError returns an error about one input field.
func FieldError(code app.Code, field, message, hint string) *app.Error {
	return &app.Error{Code: code, Field: app.Clip(field, 80), Message: message, Hint: hint}
}

// Explain turns any error into one to show. Unknown ones become CodeInternal, with their cause.
func Explain(c echo.Context, err error) *app.Error {
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
			return errNoPath(c)
		case http.StatusMethodNotAllowed:
			return errMethod(c)
		case http.StatusRequestEntityTooLarge:
			return errBodyTooLarge(err)
		}
	}
	e := app.E(app.CodeInternal, "something went wrong inside Airlock",
		"Try again; if it stays, the person who runs Airlock finds the cause in its log.")
	e.Cause = err
	return e
}

func errMethod(c echo.Context) *app.Error {
	allowed := strings.TrimPrefix(c.Response().Header().Get(echo.HeaderAllow), "OPTIONS, ")
	return app.E(app.CodeMethodNotAllowed, "this path does not take "+ShownMethod(c.Request().Method),
		"It takes "+allowed+"; GET /skill.md shows every call.")
}

func errBodyTooLarge(cause error) *app.Error {
	e := app.E(app.CodeTooLarge, "the body is larger than 4 MiB",
		"Send less: a script has at most 1 MiB, and so have inputs and an LLM answer. "+
			"Fetch large data from inside the script.")
	e.Cause = cause
	return e
}

// ShownMethod returns a method for logs and errors. Clients may send any text as one.
func ShownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return m
	}
	return "(other)"
}

// errNoPath refuses an unknown path, with hints for those that agents often try.
func errNoPath(c echo.Context) *app.Error {
	const listed = "GET /skill.md lists every call."
	if instead := app.AlternativeForPath(c.Request().URL.Path); instead != "" {
		return app.E(app.CodeNotFound, "there is nothing at this path: Airlock does not do that", instead+" "+listed)
	}
	return app.E(app.CodeNotFound, "there is nothing at this path", listed)
}
