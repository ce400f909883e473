package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Exit codes. `airlock run` adds its own.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// console is what a command talks to.
type console struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	env []string
}

// usageError is a mistake in the command line or the environment.
type usageError struct {
	message string
	usage   string // help text that is shown before it; may be empty
}

func (e usageError) Error() string { return e.message }

// errHelp ends a command that was asked for its help.
var errHelp = errors.New("help was printed")

// finish tells a command's error and returns the exit code.
func (c console) finish(err error) int {
	var wrong usageError
	var told *app.Error
	switch {
	case err == nil, errors.Is(err, errHelp):
		return exitOK
	case errors.As(err, &wrong):
		if wrong.usage != "" {
			fmt.Fprintln(c.err, strings.TrimRight(wrong.usage, "\n"))
		}
		fmt.Fprintln(c.err, "airlock: "+wrong.message) // last, where it is seen
		return exitUsage
	case errors.As(err, &told):
		fmt.Fprintf(c.err, "airlock: %s (%s)\n", told.Message, told.Code)
		if told.Cause != nil {
			fmt.Fprintf(c.err, "  cause: %v\n", told.Cause)
		}
		if told.Hint != "" {
			fmt.Fprintln(c.err, "  "+told.Hint)
		}
		return exitError
	}
	fmt.Fprintf(c.err, "airlock: %v\n", err)
	return exitError
}
