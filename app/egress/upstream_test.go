package egress

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

func selfSigned(t testing.TB, name string, from, to time.Time) (tls.Certificate, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: from, NotAfter: to,
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, _ := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, parsed
}

// Unproven hosts and other protocols get nothing; the box is told which it was.
func TestHostsThatAreNotTrusted(t *testing.T) {
	now := time.Now()
	raw := func(answer string) func(*lab, *tls.Config) func(net.Conn) {
		return func(_ *lab, config *tls.Config) func(net.Conn) {
			return func(c net.Conn) {
				c = tls.Server(c, config)
				_, _ = http.ReadRequest(bufio.NewReader(c))
				_, _ = io.WriteString(c, answer)
				_ = c.(*tls.Conn).CloseWrite()
			}
		}
	}
	for _, c := range []struct {
		name   string
		config func(l *lab, c *tls.Config)
		serve  func(l *lab, config *tls.Config) func(net.Conn)
		rule   string
		hint   string
	}{
		{"self-signed", func(_ *lab, c *tls.Config) {
			cert, _ := selfSigned(t, "api.test", now.Add(-time.Hour), now.Add(time.Hour))
			c.Certificates = []tls.Certificate{cert}
		}, nil, rules.CertUntrusted, "AIRLOCK_EXTRA_CA"},
		{"of our own authority", func(l *lab, c *tls.Config) {
			cert, _ := l.airlock.Leaf("api.test")
			c.Certificates = []tls.Certificate{*cert}
		}, nil, rules.CertUntrusted, "AIRLOCK_EXTRA_CA"},
		{"another name", func(l *lab, c *tls.Config) { *c = *l.tls("www.api.test") }, nil, rules.CertName, "name"},
		{"only TLS 1.1", func(_ *lab, c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }, nil,
			rules.HostOldTLS, "update"},
		{"only HTTP/2", func(_ *lab, c *tls.Config) { c.NextProtos = []string{"h3-of-the-future"} }, nil, rules.HostHTTP2,
			"injected"},
		{"asks for a certificate",
			func(_ *lab, c *tls.Config) { c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12 }, nil,
			rules.HostTLS, "client certificate"},
		{"no TLS", nil, func(*lab, *tls.Config) func(net.Conn) {
			return func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n"); _, _ = io.Copy(io.Discard, c) }
		}, rules.HostNoTLS, "port"},
		{"closes at once", nil, func(*lab, *tls.Config) func(net.Conn) { return func(net.Conn) {} }, rules.HostTLS,
			"handshake"},
		{"answers nothing", nil, raw(""), rules.HostBroke, "again"},
		{"answers half a head", nil, raw("HTTP/1.1 200 OK\r\nContent-Type: x\r\n"), rules.HostBroke, "again"},
		{"answers no HTTP", nil, raw("SSH-2.0-x\r\n\r\n"), rules.HostAnswer, "HTTP"},
		{"answers HTTP/2", nil, raw("\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n\r\n"), rules.HostHTTP2, "injected"},
		{"two lengths", nil, raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), rules.HostAnswer,
			"HTTP"},
		{"changes the protocol", nil,
			raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), rules.HostAnswer,
			"HTTP"},
		{"endless head", nil, raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 2000) +
			"\r\n"), rules.HostAnswer, "HTTP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			config := l.tls("api.test")
			if c.config != nil {
				c.config(l, config)
			}
			var site *site
			if c.serve != nil {
				site = l.listen("api.test", 443, c.serve(l, config))
			} else {
				site = l.web("api.test", 443, config, reflect)
			}
			s := l.session(Limits{}, []string{"api.test"}, "api.test:443")
			resp, body := l.get(l.client(s), "https://api.test/x")
			if resp.StatusCode != http.StatusBadGateway || resp.Header.Get("X-Airlock") != c.rule ||
				!strings.Contains(body, c.hint) || !strings.Contains(body, "api.test:443") {
				t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
			}
			if row := lastRow(t, s); row.Rule != c.rule || row.Verdict != app.VerdictFailed || row.Status != 502 ||
				row.Path != "/x" {
				t.Errorf("%+v", row)
			}
			if site.requests.Load() != 0 {
				t.Error("the host got the request")
			}
		})
	}
}

func TestExpiredCertificate(t *testing.T) {
	now := time.Now()
	for _, from := range []time.Time{now.Add(-48 * time.Hour), now.Add(24 * time.Hour)} {
		l := newLab(t)
		cert, parsed := selfSigned(t, "api.test", from, from.Add(24*time.Hour-time.Minute))
		l.web("api.test", 443, &tls.Config{Certificates: []tls.Certificate{cert}}, reflect)
		roots := x509.NewCertPool()
		roots.AddCert(parsed)
		g := New(Config{Lookup: l.lookup, Authority: l.airlock, Roots: roots})
		s := g.Session(Grant{Hosts: allow(t, "api.test"), Sealed: l.sealed("api.test:443")}, nil)
		if resp, body := l.get(l.client(s), "https://api.test/"); resp.StatusCode != 502 ||
			resp.Header.Get("X-Airlock") != rules.CertTime || !strings.Contains(body, "AIRLOCK_EXTRA_CA") {
			t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
		}
		s.Close()
	}
}

// The operator's own authority makes a private host trusted.
func TestExtraRoots(t *testing.T) {
	l := newLab(t)
	cert, parsed := selfSigned(t, "api.test", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	l.web("api.test", 443, &tls.Config{Certificates: []tls.Certificate{cert}}, reflect)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	s := New(Config{Lookup: l.lookup, Authority: l.airlock, Roots: roots}).Session(
		Grant{Hosts: allow(t, "api.test"), Sealed: l.sealed("api.test:443")}, nil)
	defer s.Close()
	if resp, body := l.get(l.client(s), "https://api.test/"); resp.StatusCode != 200 ||
		!strings.Contains(body, testPlaceholder) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// Later connections pass the same rules: a name that now leads elsewhere is not followed.
func TestRedialIsJudgedAgain(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"),
		func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") })
	s := l.session(Limits{}, []string{"api.test"}, "api.test:443")
	client := l.client(s)
	if resp, _ := l.get(client, "https://api.test/"); resp.StatusCode != 200 {
		t.Fatal(resp.StatusCode)
	}
	l.names["api.test"] = "169.254.169.254"
	resp, body := l.get(client, "https://api.test/")
	if resp.StatusCode != http.StatusForbidden || resp.Header.Get("X-Airlock") != rules.Metadata {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if row := lastRow(t, s); row.Rule != rules.Metadata || row.Verdict != app.VerdictDenied {
		t.Errorf("%+v", row)
	}
	delete(l.names, "api.test")
	if resp, _ := l.get(client, "https://api.test/"); resp.StatusCode != http.StatusBadGateway ||
		resp.Header.Get("X-Airlock") != rules.Unresolved {
		t.Errorf("%d", resp.StatusCode)
	}
}
