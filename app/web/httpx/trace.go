package httpx

import (
	"net/http"
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

// parseTraceparent returns the header's trace id. The header has version, trace id, parent id and
// flags in lower-case hex of fixed lengths. Later versions may append more after a hyphen.
func parseTraceparent(h http.Header) string {
	values := h.Values("Traceparent")
	if len(values) != 1 || len(values[0]) < 55 || len(values[0]) > 512 {
		return ""
	}
	text, rest := values[0][:55], values[0][55:]
	parts := strings.Split(text, "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 {
		return ""
	}
	for _, p := range parts {
		if strings.Trim(p, "0123456789abcdef") != "" {
			return ""
		}
	}
	version := parts[0]
	if version == "ff" || version == "00" && rest != "" || rest != "" && rest[0] != '-' {
		return ""
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}
