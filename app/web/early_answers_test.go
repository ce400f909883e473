package web

import (
	"bufio"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
)

// A client sends all of its body before it reads. An error that is answered before must reach it.
func TestLongBodiesGetTheirErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]int{
		"/nobody/has/this": http.StatusNotFound, "/executions/none/cancel": http.StatusNotFound,
		"/health": http.StatusMethodNotAllowed,
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.server.URL, "http://"))
		w.must(err)
		_, err = conn.Write([]byte("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n"))
		w.must(err)
		for range 20 {
			time.Sleep(40 * time.Millisecond) // longer in all than a server waits before it resets a connection
			if _, err = conn.Write([]byte(strings.Repeat("x", 100_000))); err != nil {
				break
			}
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v", path, resp, err)
			continue
		}
		_ = resp.Body.Close()
		_ = conn.Close()
	}
}

// The name under which a visitor sees Airlock is the same for links and for the check of a form's
// origin; only a trusted proxy says it.
func TestFormsBehindAProxyThatKeepsItsHost(t *testing.T) {
	t.Parallel()
	for trusted, want := range map[string]int{"127.0.0.0/8": http.StatusOK, "10.0.0.0/8": http.StatusForbidden} {
		w := newWorld(t, func(c *Config, _ *access.Config, _ *engine.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(trusted)}
		})
		headers := []string{"X-Forwarded-Host: airlock.lan", "Origin: http://airlock.lan", "Content-Type: application/json"}
		a := w.call("POST", "/profiles", `{"description":"d"}`, headers...)
		if got := a.status == http.StatusCreated; got != (want == http.StatusOK) {
			t.Errorf("trusting %s: %d %s", trusted, a.status, a.text)
		}
		if setup, _ := a.json["setup_url"].(string); want == http.StatusOK &&
			!strings.HasPrefix(setup, "http://airlock.lan/") {
			t.Errorf("setup_url %q", setup)
		}
		other := w.call("POST", "/profiles", `{"description":"d"}`, headers[0], "Origin: http://evil.example")
		if other.status != http.StatusForbidden {
			t.Errorf("another origin: %d", other.status)
		}
	}
}
