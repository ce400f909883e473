package egress

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
)

func newText(b []byte) *bytes.Reader { return bytes.NewReader(b) }

func text(r *http.Response) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

var withoutBytes = cmpopts.IgnoreFields(app.Connection{}, "BytesUp", "BytesDown", "Address")

// The value reaches the host, and what the host repeats comes back as the placeholder.
func TestSealedValueReachesItsHostOnly(t *testing.T) {
	l := newLab(t)
	var seen []string
	api := l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		reflect(w, r)
	})
	other := l.web("other.test", 80, nil, reflect)
	s := l.session(Limits{}, []string{"api.test", "other.test"}, "api.test:443")
	client := l.client(s)
	for i := range 3 {
		resp, body := l.get(client, fmt.Sprintf("https://api.test/v1/x?n=%d", i))
		want := fmt.Sprintf("GET /v1/x?n=%d Bearer %s\n", i, testPlaceholder)
		if resp.StatusCode != 200 || body != want || resp.Header.Get("X-Seen") != "Bearer "+testPlaceholder {
			t.Fatalf("%d %q %v", resp.StatusCode, body, resp.Header)
		}
	}
	if len(seen) != 3 || seen[0] != "Bearer "+testValue || api.connections.Load() != 1 {
		t.Fatalf("the host saw %q on %d connections", seen, api.connections.Load())
	}
	resp, body := l.get(client, "http://other.test/")
	if resp.StatusCode != http.StatusForbidden || resp.Header.Get("X-Airlock") != swap.RuleHost ||
		other.requests.Load() != 0 {
		t.Fatalf("%d %v %q after %d requests", resp.StatusCode, resp.Header, body, other.requests.Load())
	}
	var told struct {
		Error struct{ Code, Message, Hint string }
	}
	if err := json.Unmarshal([]byte(body), &told); err != nil || told.Error.Code != "forbidden" ||
		!strings.Contains(told.Error.Message, "API_KEY") || told.Error.Hint == "" {
		t.Fatalf("%q: %v", body, err)
	}
	client.CloseIdleConnections()
	s.Close()
	row := app.Connection{Host: "api.test", Port: 443, Verdict: app.VerdictAllowed, Rule: "api.test", Method: "GET",
		Status: 200, Credentials: []string{"API_KEY"}, Count: 1}
	var want []app.Connection
	for i := range 3 {
		row.Path = fmt.Sprintf("/v1/x?n=%d", i)
		want = append(want, row)
	}
	want = append(want, app.Connection{Host: "other.test", Port: 80, Verdict: app.VerdictDenied, Rule: swap.RuleHost,
		Method: "GET", Path: "/", Status: 403, Count: 1})
	rows := s.Ledger()
	if diff := cmp.Diff(want, rows, withoutTimes, withoutBytes); diff != "" {
		t.Fatal(diff)
	}
	if rows[0].BytesUp < 100 || rows[0].BytesDown < 100 || rows[0].Address == "" || rows[3].BytesUp != 0 {
		t.Errorf("%+v", rows)
	}
}

// The ledger shows placeholders where values went.
func TestLedgerShowsPlaceholders(t *testing.T) {
	l := newLab(t)
	var seen string
	l.web("api.test", 443, l.tls("api.test"), func(_ http.ResponseWriter, r *http.Request) { seen = r.URL.RawQuery })
	s := l.session(Limits{}, []string{"api.test"}, "api.test:443")
	r, _ := http.NewRequestWithContext(t.Context(), "GET", "https://api.test/?key="+testPlaceholder, nil)
	if resp, body := l.do(l.client(s), r); resp.StatusCode != 200 || seen != "key="+testValue {
		t.Fatalf("%d %s, %q", resp.StatusCode, body, seen)
	}
	if row := lastRow(t, s); row.Path != "/?key="+testPlaceholder {
		t.Errorf("%+v", row)
	}
}

func TestNoAuthority(t *testing.T) {
	l := newLab(t)
	l.airlock, l.names["api.test"] = nil, "93.184.216.9"
	s := New(Config{Lookup: l.lookup}).Session(
		Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{credential(t, "api.test")}}, nil)
	defer s.Close()
	_, err := s.Dial(t.Context(), "api.test", 443)
	checkRefusal(t, s, err, rules.Authority)
}

// An authority that has ended is the instance's fault, and not the script's.
func TestEndedAuthority(t *testing.T) {
	l := newLab(t)
	var err error
	if l.airlock, err = ca.New(time.Now().AddDate(-11, 0, 0)); err != nil {
		t.Fatal(err)
	}
	l.web("api.test", 443, l.tls("api.test"), reflect)
	s := l.session(Limits{}, []string{"api.test"}, "api.test:443")
	if resp, err := l.client(s).Get("https://api.test/"); err == nil {
		_ = resp.Body.Close()
		t.Fatal(resp.Status)
	}
	waitFor(t, "a row", func() bool { return len(s.Ledger()) > 0 })
	if row := lastRow(t, s); row.Rule != rules.Authority {
		t.Errorf("%+v", row)
	}
}

// What a box's TLS may say, and what it may not.
func TestBoxTLS(t *testing.T) {
	for _, c := range []struct {
		name   string
		host   string
		config *tls.Config
		rule   string
	}{
		{"proper", "api.test", &tls.Config{ServerName: "api.test"}, ""},
		{"case", "api.test", &tls.Config{ServerName: "API.test"}, ""},
		{"both protocols", "api.test", &tls.Config{ServerName: "api.test", NextProtos: []string{"h2", "http/1.1"}}, ""},
		{"TLS 1.2", "api.test", &tls.Config{ServerName: "api.test", MaxVersion: tls.VersionTLS12}, ""},
		{"another tenant", "api.test", &tls.Config{ServerName: "evil.test"}, rules.ServerName},
		{"a subdomain", "api.test", &tls.Config{ServerName: "x.api.test"}, rules.ServerName},
		{"no name", "api.test", &tls.Config{InsecureSkipVerify: true}, rules.NoServerName},
		{"no name for an address", "address", &tls.Config{InsecureSkipVerify: true}, ""},
		{"a name for an address", "address", &tls.Config{ServerName: "api.test"}, rules.ServerName},
		{"only h2", "api.test", &tls.Config{ServerName: "api.test", NextProtos: []string{"h2"}}, rules.HTTP2},
		{"TLS 1.1", "api.test", &tls.Config{ServerName: "api.test", MinVersion: tls.VersionTLS10,
			MaxVersion: tls.VersionTLS11}, rules.Handshake},
		{"does not trust us", "api.test", &tls.Config{ServerName: "api.test", RootCAs: pool()}, rules.Distrust},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			site := l.web("api.test", 443, l.tls("api.test"), reflect)
			s := l.session(Limits{}, []string{"api.test", l.names["api.test"]}, "api.test:443", l.names["api.test"]+":443")
			host := strings.Replace(c.host, "address", l.names["api.test"], 1)
			conn := dial(t, s, host, 443)
			config := c.config.Clone()
			if config.RootCAs == nil {
				config.RootCAs = pool(l.airlock.Certificate())
			}
			client := tls.Client(NetConn(conn), config)
			err := client.Handshake()
			if c.rule == "" {
				if err != nil {
					t.Fatal(err)
				}
				peer := client.ConnectionState()
				if p := peer.NegotiatedProtocol; len(config.NextProtos) > 0 && p != "http/1.1" ||
					peer.PeerCertificates[0].VerifyHostname(host) != nil {
					t.Errorf("protocol %q, certificate for %v", p, peer.PeerCertificates[0].DNSNames)
				}
				conn.Close()
				return
			}
			if err == nil {
				_, err = client.Read(make([]byte, 1))
			}
			if err == nil {
				t.Fatal("the handshake succeeded")
			}
			conn.Close()
			waitFor(t, "a row", func() bool { return len(s.Ledger()) > 0 })
			if row := lastRow(t, s); row.Rule != c.rule || row.Verdict != rules.Verdict(c.rule) || row.Host != host ||
				site.requests.Load() != 0 {
				t.Errorf("%+v; want %q", row, c.rule)
			}
		})
	}
}

// Other bytes than TLS where TLS is due, on a host that is read.
func TestBoxSpeaksNoTLS(t *testing.T) {
	for name, c := range map[string]struct{ send, answer string }{
		"HTTP": {"GET / HTTP/1.1\r\nHost: api.test\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
		"SSH":  {"SSH-2.0-OpenSSH_9.2\r\n", ""},
	} {
		l := newLab(t)
		site := l.web("api.test", 443, l.tls("api.test"), reflect)
		s := l.session(Limits{}, []string{"api.test"}, "api.test:443")
		conn := dial(t, s, "api.test", 443)
		_, _ = io.WriteString(conn, c.send)
		got, _ := io.ReadAll(conn)
		if !strings.HasPrefix(string(got), c.answer) ||
			c.answer != "" && !strings.Contains(string(got), "X-Airlock: "+rules.NotTLS) {
			t.Errorf("%s: answered %q", name, got)
		}
		conn.Close()
		if row := lastRow(t, s); row.Rule != rules.NotTLS || row.Verdict != app.VerdictDenied || site.requests.Load() != 0 {
			t.Errorf("%s: %+v", name, row)
		}
	}
}

// Without a protocol on another port, the first byte decides.
func TestGuess(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 8443, l.tls("api.test"), reflect)
	l.web("api.test", 8080, nil, reflect)
	s := l.session(Limits{}, []string{"api.test:8080,8443"}, "api.test:8080,8443")
	for _, url := range []string{"https://api.test:8443/", "http://api.test:8080/"} {
		if resp, body := l.get(l.client(s), url); resp.StatusCode != 200 || body != "GET / Bearer "+testPlaceholder+"\n" {
			t.Errorf("%s: %d %q", url, resp.StatusCode, body)
		}
	}
}

func TestPlainHTTPNeedsItsTick(t *testing.T) {
	l := newLab(t)
	site := l.web("api.test", 80, nil, reflect)
	c := credential(t, "api.test")
	c.PlainHTTP = false
	s := l.gateway().Session(Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{c}}, nil)
	defer s.Close()
	if resp, _ := l.get(l.client(s), "http://api.test/"); resp.StatusCode != 403 ||
		resp.Header.Get("X-Airlock") != swap.RulePlain || site.requests.Load() != 0 {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
}

// A connection without a request is a row too.
func TestSilentConnection(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"), reflect)
	s := l.session(Limits{}, []string{"api.test"}, "api.test:443")
	conn := dial(t, s, "api.test", 443)
	conn.Close()
	waitFor(t, "a row", func() bool { return len(s.Ledger()) == 1 })
	if row := lastRow(t, s); row.Verdict != app.VerdictAllowed || row.Method != "" || row.Rule != "api.test" {
		t.Errorf("%+v", row)
	}
}

// Hand-typed, over TLS: no placeholder reaches the host in a logged, routing or unnamed header. The
// script is told the header and the remedy.
func TestHoleM2SealedValueInLoggedHeader(t *testing.T) {
	l := newLab(t)
	api := l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("X-Api-Key"), r.Header.Get("Cookie"))
	})
	sealed := credential(t, "api.test:443")
	s := l.gateway().Session(Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{sealed}}, nil)
	t.Cleanup(s.Close)
	client := l.client(s)
	ask := func(name, text string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header[name] = []string{text}
		return l.do(client, r)
	}
	refused := map[string]string{
		"User-Agent": testPlaceholder, "Referer": "https://api.test/?k=" + testPlaceholder,
		"X-Forwarded-For": testPlaceholder,
		"X-Original-URL":  "/?api_key=" + testPlaceholder, "X-Rewrite-Url": "/" + testPlaceholder,
		"X_Forwarded_For": testPlaceholder,
		"X-My-Own":        testPlaceholder, "Cookie": "a=" + testPlaceholder,
	}
	for name, text := range refused {
		resp, body := ask(name, text)
		if resp.StatusCode != http.StatusForbidden || resp.Header.Get("X-Airlock") != swap.RuleHeader ||
			!strings.Contains(strings.ToLower(body), strings.ToLower(name)) ||
			!strings.Contains(body, "API_KEY") || !strings.Contains(body, "Authorization, X-Api-Key") {
			t.Errorf("%s: %d %v %q", name, resp.StatusCode, resp.Header, body)
		}
	}
	if api.requests.Load() != 0 {
		t.Errorf("the host saw %d requests", api.requests.Load())
	}
	for _, c := range s.Ledger() {
		if c.Rule != swap.RuleHeader || c.Verdict != app.VerdictDenied || len(c.Credentials) != 0 ||
			!strings.Contains(rules.Explain(c).Hint, "header") {
			t.Errorf("%+v", c)
		}
	}
	if resp, body := ask("X-Api-Key", testPlaceholder); resp.StatusCode != 200 || body != testPlaceholder ||
		api.requests.Load() != 1 {
		t.Errorf("a usual header: %d %q after %d requests", resp.StatusCode, body, api.requests.Load())
	}

	// A person names other headers while it runs: those it had are taken away, none is added.
	sealed.Headers = []string{"Authorization", "Cookie"}
	s.Restrict(Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{sealed}})
	for name, status := range map[string]int{"X-Api-Key": 403, "Cookie": 403, "Authorization": 200} {
		if resp, _ := ask(name, "a="+testPlaceholder); resp.StatusCode != status {
			t.Errorf("%s after it was narrowed: %d", name, resp.StatusCode)
		}
	}
}

// Withdrawn places end their requests, also headers.
func TestHoleM2NarrowedHeaderEndsItsRequest(t *testing.T) {
	c := credential(t, "api.test:443")
	less := c
	less.Headers = []string{"Authorization"}
	if got := reducedKeys([]secrets.Resolved{c}, restrict([]secrets.Resolved{c}, []secrets.Resolved{less})); len(got) != 1 ||
		got[0] != "API_KEY" {
		t.Errorf("reduced: %v", got)
	}
	if got := reducedKeys([]secrets.Resolved{less}, restrict([]secrets.Resolved{less}, []secrets.Resolved{c})); len(got) != 0 {
		t.Errorf("widened counts as reduced: %v", got)
	}
}
