package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// waitParam reads ?wait=S, the seconds a call may be held open: 0 to 50, fractions allowed. 0 if absent.
func waitParam(c echo.Context) (time.Duration, error) {
	text := c.QueryParam("wait")
	if text == "" {
		return 0, nil
	}
	longest := app.MaxPollWait.Seconds()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= longest) { // not NaN either
		return 0, fieldError(app.CodeInvalidField, "wait", "wait must be a number of seconds from 0 to 50", "Use ?wait=50 and call again for longer.")
	}
	return time.Duration(n * float64(time.Second)), nil
}

// hold takes a place among the long polls that are held open; ok is false if there is none, and the caller answers at once.
func (s *Server) hold() (release func(), ok bool) {
	select {
	case s.waiters <- struct{}{}:
		return func() { <-s.waiters }, true
	default:
		return nil, false
	}
}

// knownQuery refuses query parameters that a call doesn't take, so that a mistyped one is not silently ignored.
func knownQuery(c echo.Context, known ...string) error {
	for name := range c.QueryParams() {
		if !slices.Contains(known, name) {
			hint := "This call takes no query parameters."
			if len(known) > 0 {
				hint = "This call takes ?" + strings.Join(known, ", ?") + "."
			}
			if guess := app.Nearest(name, known); guess != "" {
				hint = "Did you mean ?" + guess + "? " + hint
			}
			return fieldError(app.CodeUnknownField, name, "the query parameter "+app.Clip(name, 60)+" is not known", hint)
		}
	}
	return nil
}
