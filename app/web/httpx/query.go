package httpx

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// KnownQuery refuses unknown query parameters.
func KnownQuery(c echo.Context, known ...string) error {
	for name := range c.QueryParams() {
		if slices.Contains(known, name) {
			continue
		}
		hint := "This call takes no query parameters."
		if len(known) > 0 {
			hint = "This call takes ?" + strings.Join(known, ", ?") + "."
		}
		if guess := app.Nearest(name, known); guess != "" {
			hint = "Did you mean ?" + guess + "? " + hint
		}
		return FieldError(app.CodeUnknownField, name, "the query parameter "+app.Clip(name, 60)+" is not known", hint)
	}
	return nil
}

// WaitQuery returns ?wait=, 0 if absent. It refuses parameters other than this and others.
func WaitQuery(c echo.Context, others ...string) (time.Duration, error) {
	if err := KnownQuery(c, append([]string{"wait"}, others...)...); err != nil {
		return 0, err
	}
	text := c.QueryParam("wait")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= app.MaxPollWait.Seconds()) { // NaN is neither
		return 0, FieldError(app.CodeInvalidField, "wait", "wait must be a number of seconds from 0 to 50",
			"Use ?wait=50 and call again for longer.")
	}
	return time.Duration(n * float64(time.Second)), nil
}
