package web

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
)

// Links and origin checks use the same visible name; only a trusted proxy may set it.
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
