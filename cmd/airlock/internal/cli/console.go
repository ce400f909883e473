package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Exit codes. `airlock run` adds its own.
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
)

// Console is what a command talks to.
type Console struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	Env []string
}

// Warnings returns a log of warnings and errors, for people.
func (c Console) Warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(c.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// UsageError is a mistake in the command line or the environment.
type UsageError struct {
	Message string
	usage   string // help text that is shown before it; may be empty
}

func (e UsageError) Error() string { return e.Message }

var errHelp = errors.New("help was printed")

// Finish prints a command's error and returns the exit code.
func (c Console) Finish(err error) int {
	var wrong UsageError
	var known *app.Error
	switch {
	case err == nil, errors.Is(err, errHelp):
		return ExitOK
	case errors.As(err, &wrong):
		if wrong.usage != "" {
			fmt.Fprintln(c.Err, strings.TrimRight(wrong.usage, "\n"))
		}
		fmt.Fprintln(c.Err, "airlock: "+wrong.Message) // last, where it is seen
		return ExitUsage
	case errors.As(err, &known):
		fmt.Fprintf(c.Err, "airlock: %s (%s)\n", Printable(known.Message), known.Code)
		if known.Cause != nil {
			fmt.Fprintf(c.Err, "  cause: %s\n", Printable(known.Cause.Error()))
		}
		if known.Hint != "" {
			fmt.Fprintln(c.Err, "  "+Printable(known.Hint))
		}
		return ExitError
	}
	fmt.Fprintf(c.Err, "airlock: %v\n", err)
	return ExitError
}
