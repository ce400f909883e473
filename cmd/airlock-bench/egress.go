package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// The names of the benchmark's host: over TLS that Airlock reads, relayed TLS, and relayed plain
// connections.
const (
	benchHost   = "bench.test"
	benchPassed = "passed.bench.test"
	benchRaw    = "raw.bench.test"
	rawPort     = 7000 // no protocol belongs to it

	benchKey   = "BENCH"
	benchValue = "a sealed value of the benchmark"
)

// egressScript makes requests and moves bodies, and returns an egressTimes by way.
//
//go:embed egress.py
var egressScript string

// bareScript, put first, lets it run without Airlock.
//
//go:embed bare.py
var bareScript string

// egressTimes are what one way took, in seconds.
type egressTimes struct {
	Warm []float64 `json:"warm"` // of each request on a connection that is open
	New  []float64 `json:"new"`  // of each request with its connection
	Down float64   `json:"down"`
	Up   float64   `json:"up"`
}

// measureEgress runs a script in a box and in bare Python. The script and the host share the
// machine's processors.
func measureEgress(ctx context.Context, t *table, o options) error {
	host, err := startHost()
	if err != nil {
		return err
	}
	defer host.stop()
	dir, err := os.MkdirTemp("", "airlock-bench-ca-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	trust := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(trust, host.authority.Certificate(), 0o600); err != nil {
		return err
	}
	inputs := map[string]any{"size": o.body, "rounds": o.rounds, "raw": []any{benchRaw, rawPort}, "passed": benchPassed,
		"read": benchHost, "key": benchKey}
	bare, err := runBare(ctx, host, trust, inputs)
	if err != nil {
		return err
	}
	if err := addEgress(t, "bare Python", bare, o.body); err != nil {
		return err
	}
	return withServer(ctx, o.programs[t.program], func(s *server) error {
		tlsHost := net.JoinHostPort(benchHost, "443")
		if _, err := s.admin(ctx, benchValue, "credential", "set", benchKey, "--host", tlsHost); err != nil {
			return err
		}
		profile, err := s.newProfile(ctx, "--key", benchKey, "--host", tlsHost,
			"--host", net.JoinHostPort(benchPassed, "443"),
			"--host", net.JoinHostPort(benchRaw, strconv.Itoa(rawPort)))
		if err != nil {
			return err
		}
		x, err := s.execute(ctx, profile, egressScript, inputs)
		if err != nil {
			return err
		}
		return addEgress(t, "box", x.Result, o.body)
	}, "AIRLOCK_LOCAL_SERVICES="+host.services(), "AIRLOCK_EXTRA_CA="+trust)
}

// runBare runs egressScript outside of any box.
func runBare(ctx context.Context, host *benchService, trust string, inputs any) ([]byte, error) {
	place := func(s *httptest.Server) []any {
		address := s.Listener.Addr().(*net.TCPAddr) //nolint:forcetypeassert // httptest listens on TCP
		return []any{address.IP.String(), address.Port}
	}
	given, err := json.Marshal(map[string]any{
		"inputs": inputs, "settings": map[string]string{benchKey: benchValue},
		"places": map[string]any{benchRaw: place(host.plain), benchPassed: place(host.tls), benchHost: place(host.tls)},
	})
	if err != nil {
		return nil, err
	}
	python := exec.CommandContext(ctx, boxPython, "-c", bareScript+egressScript)
	python.Env, python.Stdin = []string{"SSL_CERT_FILE=" + trust}, bytes.NewReader(given)
	var problem bytes.Buffer
	python.Stderr = &problem
	result, err := python.Output()
	if err != nil {
		return nil, fmt.Errorf("bare Python: %w\n%s", err, problem.String())
	}
	return result, nil
}

// addEgress adds what egressScript returned, by way.
func addEgress(t *table, where string, result []byte, body int64) error {
	var ways map[string]egressTimes
	if err := json.Unmarshal(result, &ways); err != nil {
		return fmt.Errorf("the result of the script: %w", err)
	}
	for _, way := range []string{"plain, relayed", "TLS, relayed", "TLS, intercepted", "TLS, with a swap"} {
		took, ok := ways[way]
		if !ok {
			return fmt.Errorf("the script did not measure %q", way)
		}
		for _, seconds := range took.Warm {
			t.add("request, open connection, "+way+", "+where, "ms", seconds*1000)
		}
		for _, seconds := range took.New {
			t.add("request, new connection, "+way+", "+where, "ms", seconds*1000)
		}
		t.add("download, "+way+", "+where, "MiB/s", float64(body>>20)/took.Down)
		t.add("upload, "+way+", "+where, "MiB/s", float64(body>>20)/took.Up)
	}
	return nil
}
