package web

import (
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
)

func TestForwardedHeadersCountFromTrustedProxiesOnly(t *testing.T) {
	proxied := New(Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}})
	cases := []struct {
		name, peer, xff, proto, host string
		address, base                string
	}{
		{"direct", "203.0.113.5:1", "", "", "", "203.0.113.5", "http://airlock.lan:9090"},
		{"forged", "203.0.113.5:1", "1.2.3.4", "https", "evil.example", "203.0.113.5", "http://airlock.lan:9090"},
		{"loopback is not trusted by itself", "127.0.0.1:1", "1.2.3.4", "https", "", "127.0.0.1", "http://airlock.lan:9090"},
		{"proxy", "10.1.1.1:1", "198.51.100.7", "https", "airlock.example", "198.51.100.7", "https://airlock.example"},
		{"client forges behind proxy", "10.1.1.1:1", "1.2.3.4, 198.51.100.7", "https", "", "198.51.100.7", "https://airlock.lan:9090"},
		{"two proxies", "10.1.1.1:1", "198.51.100.7, 10.2.2.2", "http, https", "", "198.51.100.7", "https://airlock.lan:9090"},
		{"garbage hop", "10.1.1.1:1", "198.51.100.7, x", "", "", "10.1.1.1", "http://airlock.lan:9090"},
		{"v6 proxy", "[fd00::1]:1", "2001:db8::7", "https", "", "2001:db8::7", "https://airlock.lan:9090"},
		{"proxy that writes ports", "10.1.1.1:1", "1.2.3.4:5, 198.51.100.7:4711, 10.2.2.2:80", "", "", "198.51.100.7", "http://airlock.lan:9090"},
		{"proxy that writes ports, v6", "[fd00::1]:1", "[2001:db8::7]:4711", "", "", "2001:db8::7", "http://airlock.lan:9090"},
		{"v6 that ends like a port", "[fd00::1]:1", "2001:db8::7:80", "", "", "2001:db8::7:80", "http://airlock.lan:9090"},
		{"port that is none", "10.1.1.1:1", "198.51.100.7:x", "", "", "10.1.1.1", "http://airlock.lan:9090"},
		{"odd host", "10.1.1.1:1", "", "", "a b<script>", "10.1.1.1", "http://localhost:9090"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/skill.md", nil)
			r.RemoteAddr, r.Host = c.peer, "airlock.lan:9090"
			for name, value := range map[string]string{"X-Forwarded-For": c.xff, "X-Forwarded-Proto": c.proto, "X-Forwarded-Host": c.host} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			if got := proxied.clientAddress(r); got != c.address {
				t.Errorf("address %s, want %s", got, c.address)
			}
			if got := proxied.baseOf(r); got != c.base {
				t.Errorf("base %s, want %s", got, c.base)
			}
		})
	}
}

// TestForwardedHostOfTheNearestProxy: a proxy that adds a line of its own below the client's is believed, not the client.
func TestForwardedHostOfTheNearestProxy(t *testing.T) {
	s := New(Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	r := httptest.NewRequest("GET", "/skill.md", nil)
	r.RemoteAddr, r.Host = "10.1.1.1:1", "airlock.lan:9090"
	r.Header["X-Forwarded-Host"] = []string{"evil.example", "airlock.example"}
	if got := s.baseOf(r); got != "http://airlock.example" {
		t.Error(got)
	}
}

// TestRefusalForAllCostsNobodysShare: who was refused because everybody together was too quick lost a part of their own share with each try.
func TestRefusalForAllCostsNobodysShare(t *testing.T) {
	l, now := newLimiter(6), time.Unix(1e9, 0)
	for i := range 60 { // all that there is for everybody
		if wait := l.delay(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String(), now); wait != 0 {
			t.Fatalf("request %d waits %v", i, wait)
		}
	}
	for range 20 {
		if wait := l.delay("203.0.113.9", now); wait != time.Second {
			t.Fatalf("waits %v, want 1s", wait)
		}
	}
	for i := range 6 {
		if wait := l.delay("203.0.113.9", now.Add(time.Minute)); wait != 0 {
			t.Errorf("its request %d waits %v", i, wait)
		}
	}
}

// FuzzForwardedFor: whatever a trusted proxy passes on, the client is an address and no text, and without a trusted proxy it is the peer.
func FuzzForwardedFor(f *testing.F) {
	for _, header := range []string{"198.51.100.7", "1.2.3.4, 198.51.100.7, 10.2.2.2", "[2001:db8::7]", "fe80::1%<b>zone", "::ffff:10.0.0.1", ",", "198.51.100.7:80", "[2001:db8::7]:80", "[fe80::1%x]:80"} {
		f.Add(header)
	}
	proxied, direct := New(Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}), New(Config{})
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest("GET", "/skill.md", nil)
		r.RemoteAddr, r.Header = "10.1.1.1:1", map[string][]string{"X-Forwarded-For": {header}}
		got := proxied.clientAddress(r)
		if addr, err := netip.ParseAddr(got); err != nil || addr.Zone() != "" || addr.String() != got || addr.Is4In6() {
			t.Errorf("%q: %q", header, got)
		}
		if got := direct.clientAddress(r); got != "10.1.1.1" {
			t.Errorf("%q: %q counts without a trusted proxy", header, got)
		}
	})
}

func TestLimiter(t *testing.T) {
	l, now := newLimiter(6), time.Unix(1e9, 0)
	for i := range 6 {
		if wait := l.delay("192.0.2.1", now); wait != 0 {
			t.Fatalf("request %d waits %v", i, wait)
		}
	}
	if wait := l.delay("192.0.2.1", now); wait != 10*time.Second {
		t.Errorf("the seventh waits %v, want 10s", wait)
	}
	if wait := l.delay("192.0.2.2", now); wait != 0 {
		t.Errorf("another address waits %v", wait)
	}
	if wait := l.delay("192.0.2.1", now.Add(10*time.Second)); wait != 0 {
		t.Errorf("after its time it still waits %v", wait)
	}
	if network("2001:db8:1:2:3::4") != network("2001:db8:1:2:ffff::9") || network("2001:db8:1:2::4") == network("2001:db8:1:3::4") {
		t.Error("a client is a /64 of IPv6")
	}
	for i := range 100 {
		l.delay(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String(), now)
	}
	if wait := l.delay("203.0.113.9", now); wait == 0 {
		t.Error("there is no limit for all addresses together")
	}
}
