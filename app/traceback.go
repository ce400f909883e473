package app

import (
	"regexp"
	"strings"
)

// tracebackStart is a line that begins a Python traceback, or all of a syntax error's.
var tracebackStart = regexp.MustCompile(`(?m)^Traceback \(most recent call last\):$|\A  File "`)

// exceptionLine begins the last part of a Python traceback: NameError: name 'foo' is not defined.
var exceptionLine = regexp.MustCompile(`^[A-Za-z_][\w.]*(:|$)`)

// SplitTraceback separates the exception and Airlock's notes from a Python traceback. The traceback
// keeps the exception's first line. Other errors have no traceback.
func SplitTraceback(text string) (summary, traceback string) {
	if !tracebackStart.MatchString(text) {
		return strings.TrimRight(text, "\n"), ""
	}
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if exceptionLine.MatchString(lines[i]) && strings.HasPrefix(lines[i-1], "  ") {
			return strings.TrimRight(strings.Join(lines[i:], "\n"), "\n"), strings.Join(lines[:i+1], "\n")
		}
	}
	return text, ""
}

// ErrorLine returns the exception's line of an error, without traceback.
func ErrorLine(text string) string {
	summary, _ := SplitTraceback(text)
	line, _, _ := strings.Cut(strings.TrimSpace(summary), "\n")
	return line
}
