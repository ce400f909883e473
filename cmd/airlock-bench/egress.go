package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/egress/swap"
)

const benchValue = "a sealed value of the benchmark"

// egressBench compares the ways to one TLS host on loopback, in this process: straight to it,
// through a session that passes TLS on, through one that reads it, and through one that reads it
// and puts a sealed value in.
type egressBench struct {
	service   *benchService
	instance  *ca.Authority
	transport *http.Transport
}

// egress measures what passes through egress, next to the same without Airlock.
func (s *suite) egress(ctx context.Context) error {
	b := s.newBenchmark()
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	table := newTable(s.out)
	if err := b.egress(ctx, table, s.rounds); err != nil {
		return err
	}
	if err := b.bytes(ctx, table); err != nil {
		return err
	}
	return table.Flush()
}

// egress prints what the ways out of a box cost, next to a direct connection.
func (b *benchmark) egress(ctx context.Context, table io.Writer, rounds int) error {
	instance, err := ca.New(time.Now())
	if err != nil {
		return err
	}
	e := &egressBench{service: b.service, instance: instance}
	placeholder := swap.Placeholder([]byte("a placeholder of the benchmark"))
	for _, c := range []struct{ name, header, mode string }{
		{"direct", "none", ""}, {"relayed", "none", "relayed"}, {"intercepted", "none", "read"},
		{"intercepted with a swap", placeholder, "read"},
	} {
		end := e.useTransport(c.mode, placeholder)
		err := e.measure(ctx, table, c.name, c.header, rounds)
		e.transport.CloseIdleConnections()
		end()
		if err != nil {
			return fmt.Errorf("egress %s: %w", c.name, err)
		}
	}
	return nil
}

// useTransport makes a transport that goes one of the ways.
func (e *egressBench) useTransport(mode, placeholder string) (end func()) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(e.service.authority.Certificate())
	clientRoots := roots.Clone()
	clientRoots.AppendCertsFromPEM(e.instance.Certificate())
	e.transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: clientRoots, MinVersion: tls.VersionTLS12},
		DisableCompression: true}
	if mode == "" {
		e.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, e.service.tls.String())
		}
		return func() {}
	}
	hosts := []app.Host{{Name: benchHost, Ports: []int{443}}}
	grant := egress.Grant{Hosts: hosts}
	if mode == "read" {
		grant.Sealed = []swap.Credential{{Key: "BENCH", Placeholder: placeholder, Value: app.NewSecret(benchValue),
			Hosts: hosts, Places: []app.Place{app.PlaceHeader}, Headers: app.SealedHeaders(nil)}}
	}
	session := egress.New(egress.Config{
		LocalServices: map[string]netip.AddrPort{net.JoinHostPort(benchHost, "443"): e.service.tls},
		Authority:     e.instance,
		Roots:         roots,
		Limits:        egress.Limits{Rate: 1e6, Burst: 1 << 20, Requests: 1e6, Bytes: 1 << 50},
	}).Session(grant, nil)
	e.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := session.Dial(ctx, benchHost, 443)
		if err != nil {
			return nil, err
		}
		return egress.NetConn(conn), nil
	}
	return session.Close
}

func (e *egressBench) measure(ctx context.Context, table io.Writer, name, header string, rounds int) error {
	var warm, cold []time.Duration
	for i := range 10*rounds + 5 {
		took, err := e.fetch(ctx, header, 100)
		if err != nil {
			return err
		}
		if i >= 5 {
			warm = append(warm, took)
		}
	}
	for range rounds {
		e.transport.CloseIdleConnections()
		took, err := e.fetch(ctx, header, 100)
		if err != nil {
			return err
		}
		cold = append(cold, took)
	}
	const large = 4
	start := time.Now()
	for range large {
		if _, err := e.fetch(ctx, header, e.service.body); err != nil {
			return err
		}
	}
	rate := float64(large*e.service.body>>20) / time.Since(start).Seconds()
	row(table, "egress, request on a warm connection, "+name, warm, "")
	row(table, "egress, request on a new connection, "+name, cold, fmt.Sprintf("%.0f MiB/s in a large answer", rate))
	return nil
}

// fetch asks for size bytes.
func (e *egressBench) fetch(ctx context.Context, header string, size int64) (time.Duration, error) {
	start := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://%s/?n=%d", benchHost, size),
		nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+header)
	response, err := e.transport.RoundTrip(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	switch {
	case err != nil:
		return 0, err
	case response.StatusCode != http.StatusOK || n != size:
		return 0, fmt.Errorf("answered %d with %d of %d bytes", response.StatusCode, n, size)
	}
	return time.Since(start), nil
}
