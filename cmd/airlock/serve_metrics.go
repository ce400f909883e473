package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// serveMetrics answers GET /metrics, and nothing else, to everybody who reaches addr.
func (s *server) serveMetrics(ctx context.Context, addr string, metrics http.Handler) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for metrics: %w (set AIRLOCK_METRICS_ADDR)", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	s.monitor = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10}
	s.log.Info("serving metrics", "addr", listener.Addr().String())
	go func() {
		if err := s.monitor.Serve(patient{listener, s.log}); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve metrics: %w", err)
		}
	}()
	return nil
}
