package httpx

import (
	"regexp"

	"github.com/labstack/echo/v4"
)

// What handlers leave on the context for the log: handles, never ids, which are tokens.
const (
	keyProfile   = "airlock.profile"
	keyExecution = "airlock.execution"
)

// LogProfile has the log name the profile that a request acts on.
func LogProfile(c echo.Context, handle string) { c.Set(keyProfile, handle) }

// LogExecution has the log name the execution that a request acts on.
func LogExecution(c echo.Context, handle string) { c.Set(keyExecution, handle) }

// LoggedHandles are the handles that the log names for a request; "" where there is none.
func LoggedHandles(c echo.Context) (profile, execution string) {
	profile, _ = c.Get(keyProfile).(string)
	execution, _ = c.Get(keyExecution).(string)
	return profile, execution
}

var tokenShape = regexp.MustCompile(`(ark|exec|atk)_[0-9a-z]{4,}`)

// HasToken reports whether a text holds an id that is a token.
func HasToken(text string) bool { return tokenShape.MatchString(text) }

// RedactTokens takes ids that are tokens out of a text.
func RedactTokens(text string) string { return tokenShape.ReplaceAllString(text, "${1}_…") }
