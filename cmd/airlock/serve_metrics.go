package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/computclaw/airlock/app/conns"
)

// listenForMetrics opens what serveMetrics needs: nil without an address.
func listenForMetrics(ctx context.Context, addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w (set AIRLOCK_METRICS_ADDR)", err)
	}
	return listener, nil
}

// serveMetrics answers GET /metrics only, to everybody.
func (s *server) serveMetrics(listener net.Listener, metrics http.Handler) {
	few := conns.Listen(listener, 64, nil, s.log)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	s.monitor = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: s.http.ErrorLog}
	s.log.Info("serving metrics", "addr", listener.Addr().String())
	if own, ok := listener.Addr().(*net.TCPAddr); ok && own.IP.IsUnspecified() {
		s.log.Warn("metrics are shown, without a token, to everybody who reaches any address of this host", "addr",
			own.String(), "advice", "name one address in AIRLOCK_METRICS_ADDR, such as 127.0.0.1:9091, unless only your "+
				"monitoring can reach this port")
	}
	go func() {
		if err := s.monitor.Serve(few); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve metrics: %w", err)
		}
	}()
}
