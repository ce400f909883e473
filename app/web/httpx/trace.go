package httpx

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"
)

const keyTrace = "airlock.trace"

// KeepTraceID keeps the trace id of a valid traceparent (W3C trace context). It ignores others.
func KeepTraceID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if id := parseTraceparent(c.Request().Header); id != "" {
			c.Set(keyTrace, id)
		}
		return next(c)
	}
}

// TraceID returns a request's trace id, or "".
func TraceID(c echo.Context) string {
	id, _ := c.Get(keyTrace).(string)
	return id
}

// traceparent is version, trace id, parent id and flags. Later versions may append more.
var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// parseTraceparent returns the header's trace id, or "".
func parseTraceparent(h http.Header) string {
	values := h.Values("Traceparent")
	if len(values) != 1 {
		return ""
	}
	parts := traceparent.FindStringSubmatch(values[0])
	if parts == nil || parts[1] == "ff" || parts[1] == "00" && parts[4] != "" ||
		strings.Trim(parts[2], "0") == "" || strings.Trim(parts[3], "0") == "" {
		return ""
	}
	return parts[2]
}
