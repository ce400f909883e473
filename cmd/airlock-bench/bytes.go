package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// bytesScript moves bodies of size bytes over each of byteWays and tells how many seconds each
// took, down and up.
//
//go:embed bytes.py
var bytesScript string

// bareScript, put before it, lets it run without Airlock.
//
//go:embed bare.py
var bareScript string

const (
	benchKey    = "BENCH"
	bytesRounds = 3
)

// byteWays are the ways of bytesScript. Without Airlock the second to fourth are the same.
func byteWays() []string {
	return []string{"relayed, plain", "relayed, TLS", "intercepted", "intercepted with a swap"}
}

// seconds are, per way, those of a download and of an upload.
type seconds [][2]float64

// bytes prints how fast bytes pass between a script in a real box and a host, through the box, the
// plugin and the engine, next to the same script run by bare Python. The script, its TLS and the
// host run on the same machine and share its cores.
func (b *benchmark) bytes(ctx context.Context, table io.Writer) error {
	profile, err := b.newProfile(ctx, "--key", benchKey, "--host", net.JoinHostPort(benchHost, "443"), "--host",
		net.JoinHostPort(benchPassed, "443"),
		"--host", net.JoinHostPort(benchRaw, strconv.Itoa(rawPort)))
	if err != nil {
		return err
	}
	inputs := map[string]any{"size": b.service.body, "raw": []any{benchRaw, rawPort}, "passed": benchPassed,
		"read": benchHost,
		"key":  benchKey}
	var bare, boxed []seconds
	for range bytesRounds { // in turns, so that both see the same machine
		took, err := b.bareBytes(ctx, inputs)
		if err != nil {
			return err
		}
		bare = append(bare, took)
		_, result, err := b.execute(ctx, profile, bytesScript, inputs)
		if err != nil {
			return err
		}
		if took, err = readSeconds(result); err != nil {
			return err
		}
		boxed = append(boxed, took)
	}
	for way, name := range byteWays() {
		for direction, verb := range []string{"download", "upload"} {
			fmt.Fprintf(table, "script in a box, %s, %s\t\t\t%.0f MiB/s (bare Python %.0f)\n", verb, name,
				b.pace(boxed, way, direction), b.pace(bare, way, direction))
		}
	}
	return nil
}

// bareBytes runs bytesScript outside of any box.
func (b *benchmark) bareBytes(ctx context.Context, inputs any) (seconds, error) {
	place := func(a netip.AddrPort) []any { return []any{a.Addr().String(), a.Port()} }
	given, err := json.Marshal(map[string]any{
		"inputs": inputs, "settings": map[string]string{benchKey: benchValue},
		"places": map[string]any{benchRaw: place(b.service.plain), benchPassed: place(b.service.tls),
			benchHost: place(b.service.tls)},
	})
	if err != nil {
		return nil, err
	}
	python := exec.CommandContext(ctx, boxPython, "-c", bareScript+bytesScript)
	python.Env = []string{"SSL_CERT_FILE=" + b.service.trust}
	python.Stdin = bytes.NewReader(given)
	var problem bytes.Buffer
	python.Stderr = &problem
	result, err := python.Output()
	if err != nil {
		return nil, fmt.Errorf("bare Python: %w\n%s", err, problem.String())
	}
	return readSeconds(result)
}

func readSeconds(result []byte) (seconds, error) {
	var took seconds
	if err := json.Unmarshal(result, &took); err != nil {
		return nil, fmt.Errorf("the result of the script: %w", err)
	}
	if len(took) != len(byteWays()) {
		return nil, fmt.Errorf("the script measured %d ways of %d", len(took), len(byteWays()))
	}
	return took, nil
}

// pace is the median over the rounds, in MiB per second.
func (b *benchmark) pace(rounds []seconds, way, direction int) float64 {
	var all []float64
	for _, took := range rounds {
		all = append(all, float64(b.service.body>>20)/took[way][direction])
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// outside are the settings by which a server reaches the benchmark's service under its names.
func (s *benchService) outside(dir string) ([]string, error) {
	s.trust = filepath.Join(dir, "bench-ca.pem")
	if err := os.WriteFile(s.trust, s.authority.Certificate(), 0o600); err != nil {
		return nil, err
	}
	pairs := []string{
		net.JoinHostPort(benchHost, "443") + "=" + s.tls.String(),
		net.JoinHostPort(benchPassed, "443") + "=" + s.tls.String(),
		net.JoinHostPort(benchRaw, strconv.Itoa(rawPort)) + "=" + s.plain.String(),
	}
	return []string{"AIRLOCK_LOCAL_SERVICES=" + strings.Join(pairs, ","), "AIRLOCK_EXTRA_CA=" + s.trust}, nil
}
