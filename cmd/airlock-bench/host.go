package main

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app/egress/ca"
)

type benchService struct {
	authority  *ca.Authority // of its certificate
	answer     []byte        // repeated
	tls, plain netip.AddrPort
	servers    []*http.Server
}

func startHost(ctx context.Context) (*benchService, error) {
	authority, err := ca.New(time.Now())
	if err != nil {
		return nil, err
	}
	s := &benchService{authority: authority, answer: make([]byte, 64<<10)}
	// Like compressed data: runs of one byte are searched more slowly.
	_, _ = rand.NewChaCha8([32]byte{}).Read(s.answer)
	config := &tls.Config{
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) { return authority.Leaf(h.ServerName) },
		NextProtos:     []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
	}
	if s.tls, err = s.serve(ctx, func(l net.Listener) net.Listener { return tls.NewListener(l, config) }); err == nil {
		s.plain, err = s.serve(ctx, func(l net.Listener) net.Listener { return l })
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// serve listens on a free port of loopback.
func (s *benchService) serve(ctx context.Context, wrap func(net.Listener) net.Listener) (netip.AddrPort, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return netip.AddrPort{}, err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	s.servers = append(s.servers, server)
	go func() { _ = server.Serve(wrap(listener)) }()
	return netip.ParseAddrPort(listener.Addr().String())
}

func (s *benchService) stop() {
	for _, server := range s.servers {
		_ = server.Close()
	}
}

// ServeHTTP reads the body and answers with the requested number of bytes.
func (s *benchService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	size, _ := strconv.Atoi(r.URL.Query().Get("n"))
	w.Header().Set("Content-Length", strconv.Itoa(size))
	for size > 0 {
		n, err := w.Write(s.answer[:min(size, len(s.answer))])
		if err != nil {
			return
		}
		size -= n
	}
}

// services returns a value of AIRLOCK_LOCAL_SERVICES for the server's names.
func (s *benchService) services() string {
	return strings.Join([]string{
		net.JoinHostPort(benchHost, "443") + "=" + s.tls.String(),
		net.JoinHostPort(benchPassed, "443") + "=" + s.tls.String(),
		net.JoinHostPort(benchRaw, strconv.Itoa(rawPort)) + "=" + s.plain.String(),
	}, ",")
}
