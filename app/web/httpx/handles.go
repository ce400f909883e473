package httpx

import (
	"regexp"

	"github.com/labstack/echo/v4"
)

// What handlers leave for the log: handles, never ids, which are tokens.
const (
	keyProfile   = "airlock.profile"
	keyExecution = "airlock.execution"
)

// LogProfile names a request's profile in the log.
func LogProfile(c echo.Context, handle string) { c.Set(keyProfile, handle) }

// LogExecution names a request's execution in the log.
func LogExecution(c echo.Context, handle string) { c.Set(keyExecution, handle) }

// LoggedHandles returns a request's handles for the log, or "".
func LoggedHandles(c echo.Context) (profile, execution string) {
	profile, _ = c.Get(keyProfile).(string)
	execution, _ = c.Get(keyExecution).(string)
	return profile, execution
}

var tokenShape = regexp.MustCompile(`(ark|exec|atk)_[0-9a-z]{4,}`)

// HasToken reports whether a text holds a token id.
func HasToken(text string) bool { return tokenShape.MatchString(text) }

// RedactTokens removes token ids from a text.
func RedactTokens(text string) string { return tokenShape.ReplaceAllString(text, "${1}_…") }
