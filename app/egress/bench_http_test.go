package egress

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"
)

// paths are the compared ways to a host: direct, relayed TLS, read TLS, and with a sealed value put
// in.
func paths(b *testing.B, run func(b *testing.B, client *http.Client, header string)) {
	l := newLab(b)
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.ParseInt(r.URL.Query().Get("n"), 10, 64)
		if r.Method == http.MethodPost {
			n, _ = io.Copy(io.Discard, r.Body)
			fmt.Fprint(w, n)
			return
		}
		w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
		chunk := make([]byte, 64<<10)
		for i := range chunk {
			chunk[i] = "0123456789abcdef"[i%16]
		}
		for ; n > 0; n -= int64(len(chunk)) {
			if _, err := w.Write(chunk[:min(n, int64(len(chunk)))]); err != nil {
				return
			}
		}
	})
	limits := Limits{Bytes: 1 << 60, Rate: 1e9, Burst: 1 << 30, Requests: 1e9}
	direct := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", l.names["api.test"]+":443")
		},
		TLSClientConfig: &tls.Config{RootCAs: pool(l.public.Certificate())}, DisableCompression: true,
	}}
	b.Run("direct", func(b *testing.B) { run(b, direct, "none") })
	direct.CloseIdleConnections()
	for _, c := range []struct {
		name, header string
		sealed       []string
	}{
		{"relayed", "none", nil},
		{"intercepted", "none", []string{"api.test:443"}},
		{"swapped", testPlaceholder, []string{"api.test:443"}},
	} {
		s := l.session(limits, []string{"api.test"}, c.sealed...)
		b.Run(c.name, func(b *testing.B) { run(b, l.client(s), c.header) })
		s.Close()
	}
}

func fetch(b *testing.B, client *http.Client, method string, n int64, header string) {
	var body io.Reader
	if method == http.MethodPost {
		body = io.LimitReader(zeros{}, n)
	}
	r, err := http.NewRequestWithContext(b.Context(), method, fmt.Sprintf("https://api.test/?n=%d", n), body)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+header)
	r.Header.Set("Content-Type", "application/octet-stream")
	resp, err := client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.Copy(io.Discard, resp.Body)
	if err != nil || resp.StatusCode != 200 || method == http.MethodGet && got != n {
		b.Fatalf("%d, %d bytes, %v", resp.StatusCode, got, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// BenchmarkRequest is one small request on a warm connection.
func BenchmarkRequest(b *testing.B) {
	paths(b, func(b *testing.B, client *http.Client, header string) {
		fetch(b, client, http.MethodGet, 100, header)
		times := make([]time.Duration, 0, b.N)
		b.ResetTimer()
		for range b.N {
			start := time.Now()
			fetch(b, client, http.MethodGet, 100, header)
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-us")
		b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "p95-us")
	})
}

// BenchmarkConnection is one request on a connection of its own, handshakes included.
func BenchmarkConnection(b *testing.B) {
	paths(b, func(b *testing.B, client *http.Client, header string) {
		for range b.N {
			fetch(b, client, http.MethodGet, 100, header)
			client.CloseIdleConnections()
		}
	})
}

const benchBody = 64 << 20

// BenchmarkDownload is a large answer.
func BenchmarkDownload(b *testing.B) {
	paths(b, func(b *testing.B, client *http.Client, header string) {
		b.SetBytes(benchBody)
		for range b.N {
			fetch(b, client, http.MethodGet, benchBody, header)
		}
	})
}

// BenchmarkUpload is a large request.
func BenchmarkUpload(b *testing.B) {
	paths(b, func(b *testing.B, client *http.Client, header string) {
		b.SetBytes(benchBody)
		for range b.N {
			fetch(b, client, http.MethodPost, benchBody, header)
		}
	})
}
