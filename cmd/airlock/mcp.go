package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/app/mcp"
)

const mcpUsage = `Usage: airlock mcp [flags]

Serves the Model Context Protocol on stdin and stdout, for clients that start their servers themselves: the agent API of a running instance
as tools. Clients that speak HTTP don't need it: they connect to /mcp of the instance.

  --url URL   the instance; else AIRLOCK_URL, else http://localhost:9090

The profile is AIRLOCK_PROFILE; without it the model creates one, or names one in each call.
`

// serveModel is airlock mcp. It ends when stdin does.
func serveModel(ctx context.Context, c console, args []string) error {
	f := newFlags("mcp", mcpUsage)
	url := f.String("url", "", "")
	if _, err := f.parse(c.out, args); err != nil {
		return err
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if *url != "" {
		if cfg.URL, err = parseURL(*url); err != nil {
			return usageError{message: "--url: " + err.Error()}
		}
	}
	server := mcp.Server(mcp.Through(client.New(cfg.URL)), cfg.Profile, version())
	err = server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(c.in), Writer: unclosed{c.out}})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve on stdin and stdout: %w", err)
	}
	return nil
}

// unclosed is an output that is not this program's to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
