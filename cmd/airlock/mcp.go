package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/app/mcp"
	"github.com/computclaw/airlock/cmd/airlock/internal/agentcli"
	"github.com/computclaw/airlock/cmd/airlock/internal/build"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

const mcpUsage = `Usage: airlock mcp [flags]

Serves the Model Context Protocol on stdin and stdout, for clients that start their servers
themselves: the agent API of a running instance as tools. Clients that speak HTTP don't need it:
they connect to /mcp of the instance.

  --url URL   the instance; else AIRLOCK_URL, else http://localhost:9090

The profile is AIRLOCK_PROFILE; without it the model creates one, or names one in each call.
`

// serveModel is airlock mcp. It ends when stdin does.
func serveModel(ctx context.Context, c cli.Console, args []string) error {
	a, err := cli.Parse(c.Out, "mcp --url=", mcpUsage, args)
	if err != nil {
		return err
	}
	cfg, err := agentcli.LoadURL(c, a)
	if err != nil {
		return err
	}
	api := client.New(cfg.URL)
	server, announce := mcp.Server(mcp.Through(api), cfg.Profile, build.Version)
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	if !cfg.Profile.Empty() {
		watch.Go(func() { mcp.WatchSkills(ctx, api, cfg.Profile, announce) })
	}
	err = server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(c.In), Writer: unclosed{c.Out}})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve on stdin and stdout: %w", err)
	}
	return nil
}

// unclosed is an output that the program must not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
