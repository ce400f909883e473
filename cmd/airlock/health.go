package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

const healthUsage = `Usage: airlock health

Asks the server on this host (AIRLOCK_ADDR) whether it serves. Ends with 1 if it doesn't. It reports
a sandbox that isn't ready, which is no failure: people need the server's pages to see why. Meant
for the health check of a container.
`

// healthWithin bounds the question and its answer.
const healthWithin = 5 * time.Second

// health is airlock health.
func health(ctx context.Context, c cli.Console, args []string) error {
	if _, err := cli.Parse(c.Out, "health", healthUsage, args); err != nil {
		return err
	}
	cfg, err := config.Load(c.Env)
	if err != nil {
		return err
	}
	url, err := healthURL(cfg.Addr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	api := client.New(url)
	api.HTTP.Transport = &http.Transport{} // a proxy of the environment is not the way to this host
	got, err := api.Do(ctx, client.Request{Method: http.MethodGet, Path: "/health"})
	if err != nil {
		return fmt.Errorf("the server doesn't answer: %w; if it listens elsewhere, set AIRLOCK_ADDR as it has it", err)
	}
	if got.Status != http.StatusOK {
		return fmt.Errorf("the server answers with status %d", got.Status)
	}
	var view struct {
		Status, Backend, Isolation string
		Sandbox                    struct{ Ready bool }
	}
	if err := json.Unmarshal(got.Text, &view); err != nil {
		return fmt.Errorf("what answers at %s is no Airlock: %w", url, err)
	}
	if !view.Sandbox.Ready {
		fmt.Fprintf(c.Out, "%s, no sandbox is ready\n", view.Status)
		return nil
	}
	fmt.Fprintf(c.Out, "%s, sandbox %s, isolation %s\n", view.Status, view.Backend, view.Isolation)
	return nil
}

// healthURL returns the address of a server that listens on addr.
func healthURL(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}
