package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/initbin"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	guest, err := initbin.For(runtime.GOARCH)
	if err == nil {
		err = plugins.Serve(ctx, name, newBackend(guest))
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
