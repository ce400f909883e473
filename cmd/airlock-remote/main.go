// Airlock-remote runs boxes on a machine that Airlock reaches over SSH. Airlock uploads and starts
// it there by itself; it needs no configuration and no privileges. See package remote.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/computclaw/airlock/plugins/ssh/remote"
)

func main() {
	log.SetOutput(io.Discard) // as in Airlock itself: libraries quote there what they were sent
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "airlock-remote:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "serve" {
		return errors.New("only Airlock starts this program")
	}
	return remote.Run(ctx, args[1:])
}
