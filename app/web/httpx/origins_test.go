package httpx

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestForwardedHeadersCountFromTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	proxied := Origins{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("fd00::/8")}}
	cases := []struct {
		name, peer, xff, proto, host string
		address, base                string
	}{
		{"direct", "203.0.113.5:1", "", "", "", "203.0.113.5", "http://airlock.lan:9090"},
		{"forged", "203.0.113.5:1", "1.2.3.4", "https", "evil.example", "203.0.113.5", "http://airlock.lan:9090"},
		{"loopback is not trusted by itself", "127.0.0.1:1", "1.2.3.4", "https", "", "127.0.0.1",
			"http://airlock.lan:9090"},
		{"proxy", "10.1.1.1:1", "198.51.100.7", "https", "airlock.example", "198.51.100.7", "https://airlock.example"},
		{"client forges behind proxy", "10.1.1.1:1", "1.2.3.4, 198.51.100.7", "https", "", "198.51.100.7",
			"https://airlock.lan:9090"},
		{"two proxies", "10.1.1.1:1", "198.51.100.7, 10.2.2.2", "http, https", "", "198.51.100.7",
			"https://airlock.lan:9090"},
		{"garbage hop", "10.1.1.1:1", "198.51.100.7, x", "", "", "10.1.1.1", "http://airlock.lan:9090"},
		{"v6 proxy", "[fd00::1]:1", "2001:db8::7", "https", "", "2001:db8::7", "https://airlock.lan:9090"},
		{"proxy that writes ports", "10.1.1.1:1", "1.2.3.4:5, 198.51.100.7:4711, 10.2.2.2:80", "", "", "198.51.100.7",
			"http://airlock.lan:9090"},
		{"proxy that writes ports, v6", "[fd00::1]:1", "[2001:db8::7]:4711", "", "", "2001:db8::7",
			"http://airlock.lan:9090"},
		{"v6 that ends like a port", "[fd00::1]:1", "2001:db8::7:80", "", "", "2001:db8::7:80",
			"http://airlock.lan:9090"},
		{"port that is none", "10.1.1.1:1", "198.51.100.7:x", "", "", "10.1.1.1", "http://airlock.lan:9090"},
		{"odd host", "10.1.1.1:1", "", "", "a b<script>", "10.1.1.1", "http://localhost:9090"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/skill.md", nil)
			r.RemoteAddr, r.Host = c.peer, "airlock.lan:9090"
			for name, value := range map[string]string{"X-Forwarded-For": c.xff, "X-Forwarded-Proto": c.proto,
				"X-Forwarded-Host": c.host} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			if got := proxied.ClientAddress(r); got != c.address {
				t.Errorf("address %s, want %s", got, c.address)
			}
			if got := proxied.BaseURL(r); got != c.base {
				t.Errorf("base %s, want %s", got, c.base)
			}
		})
	}
}

// TestForwardedHostOfTheNearestProxy: its own line counts, not the client's above it.
func TestForwardedHostOfTheNearestProxy(t *testing.T) {
	t.Parallel()
	s := Origins{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	r := httptest.NewRequest("GET", "/skill.md", nil)
	r.RemoteAddr, r.Host = "10.1.1.1:1", "airlock.lan:9090"
	r.Header["X-Forwarded-Host"] = []string{"evil.example", "airlock.example"}
	if got := s.BaseURL(r); got != "http://airlock.example" {
		t.Error(got)
	}
}

// FuzzForwardedFor: a client is always an address; without a trusted proxy, the peer.
func FuzzForwardedFor(f *testing.F) {
	for _, header := range []string{"198.51.100.7", "1.2.3.4, 198.51.100.7, 10.2.2.2", "[2001:db8::7]",
		"fe80::1%<b>zone",
		"::ffff:10.0.0.1", ",", "198.51.100.7:80", "[2001:db8::7]:80", "[fe80::1%x]:80"} {
		f.Add(header)
	}
	proxied, direct := Origins{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, Origins{}
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest("GET", "/skill.md", nil)
		r.RemoteAddr, r.Header = "10.1.1.1:1", map[string][]string{"X-Forwarded-For": {header}}
		got := proxied.ClientAddress(r)
		if addr, err := netip.ParseAddr(got); err != nil || addr.Zone() != "" || addr.String() != got || addr.Is4In6() {
			t.Errorf("%q: %q", header, got)
		}
		if got := direct.ClientAddress(r); got != "10.1.1.1" {
			t.Errorf("%q: %q counts without a trusted proxy", header, got)
		}
	})
}

func TestPasskeysAreBoundToTheHostOfTheBaseURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		public, host string
		id, origin   string
		ok           bool
	}{
		{"https://airlock.example.com", "10.0.0.1:9090", "airlock.example.com", "https://airlock.example.com", true},
		{"https://Airlock.Example.com:443", "x", "airlock.example.com", "https://airlock.example.com", true},
		{"https://airlock.example.com:8443/base", "x", "airlock.example.com", "https://airlock.example.com:8443", true},
		{"http://airlock.example.com", "x", "airlock.example.com", "http://airlock.example.com", false},
		{"", "localhost:9090", "localhost", "http://localhost:9090", true},
		{"", "airlock.localhost:9090", "airlock.localhost", "http://airlock.localhost:9090", true},
		{"", "airlock.lan:9090", "airlock.lan", "http://airlock.lan:9090", false},
		{"", "127.0.0.1:9090", "127.0.0.1", "http://127.0.0.1:9090", false},
		{"https://[2001:db8::7]", "x", "2001:db8::7", "https://[2001:db8::7]", false},
		{"https://192.0.2.7", "x", "192.0.2.7", "https://192.0.2.7", false},
	} {
		r := httptest.NewRequest("GET", "/ui/login", nil)
		r.Host = c.host
		rp, ok := Origins{PublicURL: c.public}.RelyingParty(r)
		if rp.ID != c.id || rp.Origin != c.origin || ok != c.ok {
			t.Errorf("%s at %s: %+v %t, want %+v", c.public, c.host, rp, ok, c)
		}
	}
}
