package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/admin"
	"github.com/computclaw/airlock/cmd/airlock/internal/agentcli"
	"github.com/computclaw/airlock/cmd/airlock/internal/build"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/skillcli"
)

func main() {
	log.SetOutput(io.Discard) // net/http quotes there what a host sent, and that may hold a secret
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, cli.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ()}, os.Args[1:]))
}

const usage = `Usage: airlock COMMAND

  serve            serve the agent API and the admin UI
  run SCRIPT       submit a script and print its result (--help for more)
  mcp              serve the agent API to models on stdin and stdout (--help for more)
  admin …          credentials, profiles, admin token, audit log (--help for more)
  skill …          check a skill, upload it for review, or read one back (--help for more)
  config           print the effective configuration, secrets masked
  doctor           check the sandbox on this host
  health           ask the server on this host whether it serves
  container …      run another command as the first process of a container
  version          print the version

Everything is configured by environment variables: airlock config lists them.
`

func run(ctx context.Context, c cli.Console, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(c.Err, usage)
		return cli.ExitUsage
	}
	name, rest := args[0], args[1:]
	ends := func(command func(context.Context, cli.Console, []string) error) func() int {
		return func() int { return c.Finish(command(ctx, c, rest)) }
	}
	commands := map[string]func() int{
		"serve": ends(serve), "mcp": ends(serveModel), "admin": ends(admin.Run), "skill": ends(skillcli.Run),
		"doctor": ends(doctor), "health": ends(health), "plugin": ends(plugin),
		"config":    func() int { return c.Finish(config.Show(c, rest)) },
		"run":       func() int { return agentcli.Run(ctx, c, rest) },
		"container": func() int { return contain(c, rest) },
		"version": func() int {
			fmt.Fprintln(c.Out, "airlock "+build.String())
			return cli.ExitOK
		},
		"help": func() int {
			fmt.Fprint(c.Out, usage)
			return cli.ExitOK
		},
	}
	commands["--version"], commands["--help"], commands["-h"] = commands["version"], commands["help"], commands["help"]
	if command, ok := commands[name]; ok {
		return command()
	}
	message := fmt.Sprintf("there is no command %q", app.Clip(name, 40))
	if guess := app.Nearest(name, slices.Sorted(maps.Keys(commands))); guess != "" {
		message += "; did you mean " + guess + "?"
	} else if admin.Has(name) {
		message += "; did you mean admin " + name + "?"
	}
	return c.Finish(cli.UsageError{Message: message})
}
