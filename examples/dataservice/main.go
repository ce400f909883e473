// Command dataservice serves the weather dataset of examples/data on loopback to whoever knows a
// token. It stands for any API that needs a credential.
//
//	WEATHER_API_TOKEN=something-long go run ./examples/dataservice -addr 127.0.0.1:8081
package main

import (
	"context"
	"errors"
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

func main() {
	addr := flag.String("addr", "127.0.0.1:8081", "loopback address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *addr, os.Getenv("WEATHER_API_TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, "dataservice:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, addr, token string) error {
	if token == "" {
		return errors.New("set WEATHER_API_TOKEN to the token that clients must send")
	}
	observations, err := data.Observations()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		_ = listener.Close()
		return fmt.Errorf("%s is not a loopback address", addr)
	}
	fmt.Println("Serving the weather of Seattle at http://" + listener.Addr().String() + "/observations")
	server := &http.Server{Handler: data.Service(token, observations), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
