package egress

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// Addresses written as such pass the same rules as those that a name has.
func TestDialLiterals(t *testing.T) {
	for _, c := range []struct{ entry, host, rule string }{
		{"93.184.215.14", "93.184.215.14", ""},
		{"93.184.215.14", "::ffff:93.184.215.14", rules.Name},
		{"10.1.2.3", "10.1.2.3", rules.Private},
		{"private:10.1.2.3", "10.1.2.3", ""},
		{"private:10.8.8.8", "10.8.8.8", rules.ThisHost},
		{"private:127.0.0.1", "127.0.0.1", rules.ThisHost},
		{"private:169.254.169.254", "169.254.169.254", rules.Metadata},
		{"private:0.0.0.0", "0.0.0.0", rules.ThisHost},
		{"93.184.215.14", "93.184.215.15", rules.NotListed},
		{"example.test", "8.8.8.8", rules.NotListed},
		{"*.example.test", "1.1.1.1", rules.NotListed},
	} {
		w := newWorld(t)
		text, private := cutPrivate(c.entry)
		hosts := allow(t, fmt.Sprintf("%s:%d", text, w.port))
		hosts[0].Private = private
		s := session(t, w.gateway(), hosts)
		conn, err := s.Dial(t.Context(), c.host, w.port)
		if c.rule != "" {
			checkRefusal(t, s, err, c.rule)
		} else if err != nil {
			t.Errorf("%s: %v", c.host, err)
		} else {
			echo(t, conn, "x")
			conn.Close()
		}
		if q := w.questions(); len(q) != 0 {
			t.Errorf("%s: asked the resolver for %v", c.host, q)
		}
	}
}

// A name that changes its answer gains nothing: each dial asks once and checks.
func TestRebinding(t *testing.T) {
	w := newWorld(t)
	w.name("rebind.test", []string{"93.184.215.14"}, []string{"169.254.169.254"})
	s := session(t, w.gateway(), allow(t, fmt.Sprintf("rebind.test:%d", w.port)))
	conn, err := s.Dial(t.Context(), "rebind.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	echo(t, conn, "hello")
	conn.Close()
	if q := w.questions(); len(q) != 1 {
		t.Fatalf("asked %d times for one connection", len(q))
	}
	_, err = s.Dial(t.Context(), "rebind.test", w.port)
	checkRefusal(t, s, err, rules.Metadata)
	if got := w.reached(); len(got) != 1 || got[0] != "93.184.215.14" {
		t.Fatalf("reached %v", got)
	}
}

// The socket's own address is checked again, whatever led to it.
func TestRecheckAtTheSocket(t *testing.T) {
	g := New(Config{})
	public := target{AddrPort: netip.MustParseAddrPort("93.184.215.14:443")}
	if err := g.recheck(public, "93.184.215.14:443"); err != nil {
		t.Error(err)
	}
	if err := g.recheck(public, "[::ffff:93.184.215.14]:443"); err != nil {
		t.Error(err)
	}
	for _, address := range []string{"93.184.215.14:80", "93.184.215.15:443", "127.0.0.1:443", "", "host:443"} {
		if g.recheck(public, address) == nil {
			t.Errorf("a socket to %q passes for %s", address, public)
		}
	}
	if g.recheck(target{AddrPort: netip.MustParseAddrPort("169.254.169.254:80"), private: true},
		"169.254.169.254:80") == nil {
		t.Error("a metadata address passes the second check")
	}
	// And the dialler asks for it.
	w := newWorld(t)
	for _, address := range []string{"169.254.169.254", "127.0.0.1", "10.1.2.3"} {
		c, err := g.dial(t.Context(), target{AddrPort: netip.AddrPortFrom(netip.MustParseAddr(address), uint16(w.port))}, 1)
		if err == nil {
			_ = c.Close()
			t.Errorf("dialled %s unchecked", address)
		}
	}
	if got := w.reached(); len(got) != 0 {
		t.Errorf("reached %v", got)
	}
}

// Refused names and ports cause no query.
func TestNothingIsAskedForWhatIsNotListed(t *testing.T) {
	w := newWorld(t)
	w.name("evil.test", []string{"93.184.215.14"})
	s := session(t, w.gateway(), nil)
	for _, host := range []string{"evil.test", "secret-in-a-label.evil.test", "localhost", "metadata.google.internal"} {
		_, err := s.Dial(t.Context(), host, 443)
		checkRefusal(t, s, err, rules.NotListed)
	}
	s = session(t, w.gateway(), allow(t, "evil.test"))
	for _, port := range []int{22, 25, 6379, 8443} {
		_, err := s.Dial(t.Context(), "evil.test", port)
		checkRefusal(t, s, err, rules.Port)
	}
	if q, r := w.questions(), w.reached(); len(q) != 0 || len(r) != 0 {
		t.Fatalf("asked for %v, reached %v", q, r)
	}
}

func TestLocalServices(t *testing.T) {
	w := newWorld(t)
	loop := netip.MustParseAddrPort(fmt.Sprintf("127.0.0.1:%d", w.port))
	own := netip.AddrPortFrom(ownPrivate.Addr(), uint16(w.port))
	g := w.gateway(func(c *Config) {
		c.LocalServices = map[string]netip.AddrPort{"weather.test:8443": loop, "own.test:5432": own,
			"meta.test:80": netip.MustParseAddrPort("169.254.169.254:80"),
			"any.test:80":  netip.MustParseAddrPort(fmt.Sprintf("0.0.0.0:%d", w.port))}
	})
	w.name("weather.test", []string{"127.0.0.1"})

	s := session(t, g, allow(t, "weather.test:8443,443", "own.test:5432,9999", "meta.test:80", "any.test:80"))
	for _, c := range []struct {
		host string
		port int
	}{{"weather.test", 8443}, {"own.test", 5432}} {
		conn, err := s.Dial(t.Context(), c.host, c.port)
		if err != nil {
			t.Fatal(err)
		}
		echo(t, conn, "hello")
		conn.Close()
	}
	if q := w.questions(); len(q) != 0 {
		t.Errorf("asked the resolver for %v", q)
	}
	_, err := s.Dial(t.Context(), "weather.test", 443) // the pair is exact
	checkRefusal(t, s, err, rules.ThisHost)
	_, err = s.Dial(t.Context(), "meta.test", 80)
	checkRefusal(t, s, err, rules.Metadata)
	_, err = s.Dial(t.Context(), "any.test", 80)
	checkRefusal(t, s, err, rules.ThisHost)

	// Its name resolves to nothing, but another port fails for itself.
	_, err = s.Dial(t.Context(), "own.test", 9999)
	checkRefusal(t, s, err, rules.ServicePort)

	// The operator's word is not the profile's: name and port must be on its list.
	s = session(t, g, allow(t, "weather.test:443"))
	_, err = s.Dial(t.Context(), "weather.test", 8443)
	checkRefusal(t, s, err, rules.Port)
	s = session(t, g, nil)
	_, err = s.Dial(t.Context(), "weather.test", 8443)
	checkRefusal(t, s, err, rules.NotListed)
}

// Airlock's own port is out of reach, also for operators' pairs and private addresses.
func TestListenerIsNeverReached(t *testing.T) {
	for _, c := range []struct{ listener, service string }{
		{"0.0.0.0", "127.0.0.1"}, {"::", "127.0.0.1"}, {"0.0.0.0", "10.8.8.8"}, {"127.0.0.1", "127.0.0.1"},
		{"10.8.8.8", "::ffff:10.8.8.8"},
	} {
		w := newWorld(t)
		g := w.gateway(func(cfg *Config) {
			cfg.Listener = netip.AddrPortFrom(netip.MustParseAddr(c.listener), uint16(w.port))
			cfg.LocalServices = map[string]netip.AddrPort{"self.test:443": netip.AddrPortFrom(netip.MustParseAddr(c.service),
				uint16(w.port))}
		})
		s := session(t, g, allow(t, "self.test"))
		_, err := s.Dial(t.Context(), "self.test", 443)
		checkRefusal(t, s, err, rules.Listener)
		if got := w.reached(); len(got) != 0 {
			t.Errorf("listener %s was reached by %s", c.listener, c.service)
		}
	}
	w := newWorld(t)
	w.name("elsewhere.test", []string{"10.1.2.3"})
	g := w.gateway(func(cfg *Config) { cfg.Listener = netip.MustParseAddrPort(fmt.Sprintf("10.1.2.3:%d", w.port)) })
	hosts := allow(t, fmt.Sprintf("elsewhere.test:%d", w.port))
	hosts[0].Private = true
	s := session(t, g, hosts)
	_, err := s.Dial(t.Context(), "elsewhere.test", w.port)
	checkRefusal(t, s, err, rules.Listener)
}

// Proxy variables in Airlock's own environment don't lead connections astray.
func TestProxyVariablesAreIgnored(t *testing.T) {
	proxy := newWorld(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, fmt.Sprintf("http://127.0.0.1:%d", proxy.port))
	}
	w := newWorld(t)
	w.name("svc.test", []string{"93.184.215.14"})
	s := session(t, w.gateway(), allow(t, fmt.Sprintf("svc.test:%d", w.port)))
	conn, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	echo(t, conn, "hello")
	conn.Close()
	if got := proxy.reached(); len(got) != 0 {
		t.Fatal("the proxy was used")
	}
}

func TestFailures(t *testing.T) {
	w := newWorld(t)
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := closed.Addr().(*net.TCPAddr).Port
	_ = closed.Close()
	w.name("svc.test", []string{"93.184.215.14"})
	w.name("far.test", []string{"203.0.114.1"})
	s := session(t, w.gateway(), allow(t, fmt.Sprintf("svc.test:%d", dead), "nowhere.test", "far.test"))

	_, err = s.Dial(t.Context(), "svc.test", dead)
	checkRefusal(t, s, err, rules.Refused)
	_, err = s.Dial(t.Context(), "nowhere.test", 443)
	checkRefusal(t, s, err, rules.Unresolved)
	_, err = s.Dial(t.Context(), "far.test", 443)
	checkRefusal(t, s, err, rules.Unreachable)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Dial(ctx, "svc.test", dead)
	checkRefusal(t, s, err, rules.Cancelled)
}

// If the first of several good addresses doesn't answer, the next one is used.
func TestDialTriesTheNextAddress(t *testing.T) {
	w := newWorld(t)
	w.name("svc.test", []string{"203.0.114.1", "93.184.215.14"})
	s := session(t, w.gateway(), allow(t, fmt.Sprintf("svc.test:%d", w.port)))
	conn, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	echo(t, conn, "hello")
	if row := lastRow(t, s); row.Address != fmt.Sprintf("93.184.215.14:%d", w.port) {
		t.Fatalf("row %+v", row)
	}
}

func TestCloseWrite(t *testing.T) {
	w := newWorld(t)
	w.name("svc.test", []string{"93.184.215.14"})
	s := session(t, w.gateway(), allow(t, fmt.Sprintf("svc.test:%d", w.port)))
	conn, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "all of it"); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err != nil || string(got) != "all of it" {
		t.Fatalf("got %q, %v", got, err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatalf("second Close: %v", err)
	}
	row := lastRow(t, s)
	if row.BytesUp != 9 || row.BytesDown != 9 || row.Verdict != app.VerdictAllowed || row.Duration <= 0 || row.Count != 1 {
		t.Fatalf("row %+v", row)
	}
}

func TestAdviceFitsTheProfileAsItIsNow(t *testing.T) {
	at := time.Date(2026, 11, 26, 9, 30, 0, 0, time.UTC)
	request := func(entry string, allowed bool) app.HostRequest {
		return app.HostRequest{Host: allow(t, entry)[0], Allowed: allowed}
	}
	advice := rules.Advice{SetupURL: "https://airlock.test/ui/profiles/p1", Profile: app.Profile{Handle: "p1",
		Hosts: []app.HostRequest{request("open.test:443", false), request("since.test:443", true), request("db.test:443", true),
			request("*.inside.test", true), request("*.db.test", true)},
		Declined: []app.DeclinedHost{{Host: allow(t, "no.test:443")[0], At: at}},
	}}
	for _, c := range []struct {
		host    string
		port    int
		rule    string
		want    []string
		without string
	}{
		{"open.test", 443, rules.NotListed, []string{"It stands as a request on https://airlock.test/ui/profiles/p1", "adds your reason"}, "declined"},
		{"open.test", 0, rules.NotListed, []string{"It stands as a request"}, "asks for it"},
		{"new.test", 443, rules.NotListed, []string{`{"host":"new.test:443"`, "asks for it", "/ui/profiles/p1"}, "It stands"},
		{"since.test", 443, rules.NotListed, []string{"allowed it since", "Submit the script again"}, "POST"},
		{"no.test", 443, rules.NotListed, []string{"A person declined it on 2026-11-26T09:30:00Z", "Asking again does not help",
			"with the new reason"}, "It stands"},
		{"no.test", 0, rules.NotListed, []string{"A person declined it"}, "It stands"},
		{"db.test", 5432, rules.Port, []string{"allows db.test on port 443 only", `{"host":"db.test:5432"`}, "since"},
		{"inside.test", 443, rules.NotListed, []string{"allows the names below inside.test, not the name itself", "asks for it"}, "since"},
		{"pypi.org", 443, rules.NotListed, []string{"can't be installed", "GET /packages"}, "POST"},
	} {
		e := advice.Explain(app.Connection{Host: c.host, Port: c.port, Rule: c.rule, Verdict: app.VerdictDenied})
		for _, want := range c.want {
			if !strings.Contains(e.Hint, want) {
				t.Errorf("%s:%d: the hint lacks %q: %s", c.host, c.port, want, e.Hint)
			}
		}
		if strings.Contains(e.Hint, c.without) {
			t.Errorf("%s:%d: the hint says %q: %s", c.host, c.port, c.without, e.Hint)
		}
	}
}

// A port that relays placeholders unchanged left an agent with a bare 401.
func TestARelayedPortOfASealedHostIsNoted(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 8443, l.tls("api.test"), reflect)
	s := l.session(Limits{}, []string{"api.test:8443"}, "api.test:443")
	conn := dial(t, s, "api.test", 8443)
	_ = conn.Close()
	row := lastRow(t, s)
	if note := (rules.Advice{}).Note(row); row.Verdict != app.VerdictAllowed || !strings.Contains(note, "api.test:8443") {
		t.Errorf("%+v: %q", row, note)
	}
	if note := (rules.Advice{}).Note(app.Connection{Verdict: app.VerdictAllowed, Rule: "api.test"}); note != "" {
		t.Errorf("an ordinary row is noted: %q", note)
	}
}

func TestQuestionsThatNobodyAnswersAreRows(t *testing.T) {
	s := session(t, newWorld(t).gateway(), nil)
	s.RecordRefused("7.113.0.203.in-addr.arpa")
	s.RecordRefused("1.0.ip6.arpa")
	s.RecordUnanswered("1.0.ip6.arpa", "TXT")
	if rows := s.Ledger(); len(rows) != 0 {
		t.Errorf("reverse names made rows: %+v", rows)
	}
	s.RecordUnanswered("_mongodb._tcp.db.test", "SRV")
	row := lastRow(t, s)
	if row.Rule != rules.Record || row.Method != "SRV" || !strings.Contains(rules.Explain(row).Hint, "mongodb://") {
		t.Errorf("%+v: %v", row, rules.Explain(row))
	}
}
