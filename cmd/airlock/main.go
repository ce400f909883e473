package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/computclaw/airlock/app"
)

// Exit codes. `airlock run` adds its own.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, console{os.Stdin, os.Stdout, os.Stderr, os.Environ()}, os.Args[1:]))
}

// console is what a command talks to.
type console struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	env []string
}

const usage = `Usage: airlock COMMAND

  serve            serve the agent API and the admin UI
  run SCRIPT       submit a script and print its result (--help for more)
  mcp              serve the agent API to models on stdin and stdout (--help for more)
  admin …          credentials, profiles, admin token, audit log (--help for more)
  config           print the effective configuration, secrets masked
  doctor           check the sandbox on this host
  health           ask the server on this host whether it serves
  container …      run another command as the first process of a container
  version          print the version

Everything is configured by environment variables: airlock config lists them.
`

func run(ctx context.Context, c console, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(c.err, usage)
		return exitUsage
	}
	name, rest := args[0], args[1:]
	switch name {
	case "serve":
		return c.finish(serve(ctx, c, rest))
	case "run":
		return runScript(ctx, c, rest)
	case "mcp":
		return c.finish(serveModel(ctx, c, rest))
	case "admin":
		return c.finish(admin(ctx, c, rest))
	case "config":
		return c.finish(showConfig(c, rest))
	case "doctor":
		return c.finish(doctor(ctx, c, rest))
	case "container":
		return contain(c, rest)
	case "health":
		return c.finish(health(ctx, c, rest))
	case "plugin":
		return c.finish(plugin(ctx, rest))
	case "version", "--version":
		fmt.Fprintln(c.out, "airlock "+build())
		return exitOK
	case "help", "--help", "-h":
		fmt.Fprint(c.out, usage)
		return exitOK
	}
	commands := []string{"serve", "run", "mcp", "admin", "config", "doctor", "health", "container", "version"}
	message := fmt.Sprintf("there is no command %q", app.Clip(name, 40))
	if guess := app.Nearest(name, commands); guess != "" {
		message += "; did you mean " + guess + "?"
	}
	return c.finish(usageError{message: message})
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
