package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/computclaw/airlock/examples/data"
)

// options are the command line's.
type options struct {
	binary, addr, dir string
	once              bool
}

func main() {
	var o options
	flag.StringVar(&o.binary, "airlock", "./airlock", "the program to start")
	flag.StringVar(&o.addr, "addr", cmp.Or(os.Getenv("AIRLOCK_ADDR"), "127.0.0.1:9090"), "where Airlock shall listen")
	flag.StringVar(&o.dir, "data", "./data/demo", "where Airlock shall keep its data")
	flag.BoolVar(&o.once, "once", false, "end after the walk")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "\nThe demo failed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	// Only the data service and, later, Airlock's store know this token. The agent never sees it.
	token := "wx_" + rand.Text() + rand.Text()
	service, err := startDataService(token)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }()

	server, err := startAirlock(ctx, o, service.addr)
	if err != nil {
		return err
	}
	defer server.stop()

	if err := walk(ctx, server, token); err != nil {
		return fmt.Errorf("%w\n%s", err, server.lastLines())
	}
	if o.once {
		return nil
	}
	say("")
	say("Airlock keeps running. Have a look at what it recorded:")
	say("  %s/ui", server.url)
	say("  log in as %s, password %s", personName, server.password)
	say("  data in %s", o.dir)
	say("Ctrl-C ends it.")
	return server.wait(ctx)
}

// dataService is the API that needs a credential.
type dataService struct {
	*http.Server
	addr string
}

func startDataService(token string) (*dataService, error) {
	observations, err := data.Observations()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &dataService{
		Server: &http.Server{Handler: data.Service(token, observations), ReadHeaderTimeout: 10 * time.Second},
		addr:   listener.Addr().String(),
	}
	go func() { _ = s.Serve(listener) }() // ends with Close
	return s, nil
}

// say prints one line of the story.
func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
