package egress

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/egress/swap"
)

// Removed rights are refused at once, also on open connections; the others stay.
func TestRestrict(t *testing.T) {
	l := newLab(t)
	api := l.web("api.test", 443, l.tls("api.test"), reflect)
	gone := l.web("gone.test", 443, l.tls("gone.test"), reflect)
	l.listen("db.test", 5432, func(c net.Conn) { _, _ = io.Copy(c, c) })
	hosts := []string{"api.test", "gone.test", "db.test:5432"}
	s := l.session(Limits{}, hosts, "api.test:443", "gone.test:443")
	client := l.client(s)
	get := l.connection(s, "api.test")
	if resp := get(); resp.StatusCode != 200 {
		t.Fatal(resp.StatusCode)
	}
	if resp, _ := l.get(client, "https://gone.test/"); resp.StatusCode != 200 {
		t.Fatal(resp.StatusCode)
	}
	db := dial(t, s, "db.test", 5432)
	defer db.Close()
	echo(t, db, "x")

	s.Restrict(Grant{Hosts: allow(t, "api.test", "more.test"), Sealed: l.sealed("api.test:443")})
	if _, err := db.Read(make([]byte, 1)); err == nil {
		t.Error("the connection to the database goes on")
	}
	waitFor(t, "the host sees it", func() bool { return gone.live.Load() == 0 })
	if resp := get(); resp.StatusCode != 200 {
		t.Errorf("%d on the connection that was open", resp.StatusCode)
	}
	for _, host := range []string{"gone.test", "more.test"} {
		_, err := s.Dial(t.Context(), host, 443)
		checkRefusal(t, s, err, rules.NotListed)
	}

	// The credential goes, its host stays: on the open connection too.
	s.Restrict(Grant{Hosts: allow(t, "api.test")})
	seen := api.requests.Load()
	if resp := get(); resp.StatusCode != 403 || resp.Header.Get("X-Airlock") != swap.RuleHost ||
		api.requests.Load() != seen {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	// And comes back by no means.
	s.Restrict(Grant{Hosts: allow(t, hosts...), Sealed: l.sealed("api.test:443")})
	if resp, _ := l.get(client, "https://api.test/"); resp.StatusCode != 403 {
		t.Errorf("%d", resp.StatusCode)
	}
	if _, err := s.Dial(t.Context(), "gone.test", 443); app.CodeOf(err) != app.CodeForbidden {
		t.Error(err)
	}
}

// connection opens a connection to a host that Airlock reads. Each call sends a request on it: an
// http.Transport may open another one.
func (l *lab) connection(s *Session, host string) func() *http.Response {
	l.t.Helper()
	conn := tls.Client(NetConn(dial(l.t, s, host, 443)),
		&tls.Config{ServerName: host, RootCAs: pool(l.public.Certificate(), l.airlock.Certificate())})
	l.t.Cleanup(func() { _ = conn.Close() })
	reader := bufio.NewReader(conn)
	return func() *http.Response {
		l.t.Helper()
		r, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, "https://"+host+"/", nil)
		if err != nil {
			l.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testPlaceholder)
		if err := r.Write(conn); err != nil {
			l.t.Fatal(err)
		}
		resp, err := http.ReadResponse(reader, r)
		if err != nil {
			l.t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return resp
	}
}

// A request judged before a decision, but still waiting for its body, is not sent after it.
func TestRestrictReachesRequestsThatWait(t *testing.T) {
	l := newLab(t)
	api := l.web("api.test", 80, nil, reflect)
	s := l.session(Limits{}, []string{"api.test"}, "api.test")
	conn := dial(t, s, "api.test", 80)
	defer conn.Close()
	send(t, conn, "POST / HTTP/1.1\r\nHost: api.test\r\nExpect: 100-continue\r\nContent-Type: "+
		"text/plain\r\nAuthorization: Bearer "+testPlaceholder+"\r\nContent-Length: 4\r\n\r\n")
	first := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, first); err != nil || !strings.HasPrefix(string(first), "HTTP/1.1 100") {
		t.Fatalf("%q %v", first, err)
	}
	s.Restrict(Grant{Hosts: allow(t, "api.test")})
	send(t, conn, "body")
	resp := answers(t, conn, 1)[0]
	if resp.StatusCode != 403 || resp.Header.Get("X-Airlock") != rules.Restricted || api.requests.Load() != 0 {
		t.Errorf("%d %v, the host saw %d requests", resp.StatusCode, resp.Header, api.requests.Load())
	}
}

// A request that carries a value ends when the value is taken away. All others go on.
func TestRestrictEndsRequestsWithTheValue(t *testing.T) {
	l := newLab(t)
	arrived, leave := make(chan struct{}), make(chan struct{})
	l.web("api.test", 80, nil, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-leave
		fmt.Fprint(w, "done")
	})
	defer close(leave)
	s := l.session(Limits{}, []string{"api.test"}, "api.test")
	with, without := dial(t, s, "api.test", 80), dial(t, s, "api.test", 80)
	defer with.Close()
	defer without.Close()
	send(t, with, "GET / HTTP/1.1\r\nHost: api.test\r\nX-Key: "+testPlaceholder+"\r\n\r\n")
	send(t, without, "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n")
	<-arrived
	<-arrived
	s.Restrict(Grant{Hosts: allow(t, "api.test"), Sealed: l.sealed("api.test")}) // nothing
	less := l.sealed("api.test")
	less[0].Places = nil
	open := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.open)
	}
	if open() != 2 {
		t.Errorf("%d connections are open", open())
	}
	s.Restrict(Grant{Hosts: allow(t, "api.test"), Sealed: less})
	if open() != 1 {
		t.Error("the request with the value goes on")
	}
	waitFor(t, "its row says why", func() bool {
		return slices.ContainsFunc(s.Ledger(),
			func(c app.Connection) bool { return c.Rule == rules.Restricted && c.Verdict == app.VerdictDenied })
	})
	leave <- struct{}{}
	leave <- struct{}{}
	if body := text(answers(t, without, 1)[0]); body != "done" {
		t.Errorf("%q", body)
	}
}

// A removed value still does not come back from its host, not even in pieces.
func TestRestrictKeepsTakingValuesOut(t *testing.T) {
	l := newLab(t)
	l.listen("api.test", 80, func(c net.Conn) {
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s %v", testValue, r.Header)
	})
	s := l.session(Limits{}, []string{"api.test"}, "api.test")
	s.Restrict(Grant{Hosts: allow(t, "api.test")})
	conn := dial(t, s, "api.test", 80)
	defer conn.Close()
	send(t, conn, "GET / HTTP/1.1\r\nHost: api.test\r\nRange: bytes=1-2\r\nA-IM: diffe\r\n\r\n")
	if body := text(answers(t, conn, 1)[0]); body != testPlaceholder+" map[Accept-Encoding:[identity]]" {
		t.Errorf("%q", body)
	}
}

// A connection into a private network ends when the tick goes.
func TestRestrictThePrivateTick(t *testing.T) {
	w := newWorld(t)
	w.name("svc.test", []string{"10.1.2.3"})
	entry := fmt.Sprintf("svc.test:%d", w.port)
	s := session(t, w.gateway(), allow(t, "private:"+entry))
	conn := dial(t, s, "svc.test", w.port)
	defer conn.Close()
	echo(t, conn, "x")
	s.Restrict(Grant{Hosts: allow(t, "private:"+entry)})
	echo(t, conn, "x")
	s.Restrict(Grant{Hosts: allow(t, entry)})
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("it goes on")
	}
}

// A connection that is dialled anew while the tick goes is judged as of then.
func TestRestrictReachesWhatIsDialledAgain(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 80, nil, reflect)
	s := l.session(Limits{}, []string{"private:api.test"})
	conn := dial(t, s, "api.test", 80).(*intercepted)
	defer conn.Close()
	s.Restrict(Grant{Hosts: allow(t, "api.test")})
	if open := len(s.open); open != 1 {
		t.Fatalf("%d connections are open", open)
	}
	conn.use(nil, target{AddrPort: netip.MustParseAddrPort("10.1.2.3:80"), private: true})
	if _, err := conn.Read(make([]byte, 1)); err == nil || len(s.open) != 0 {
		t.Errorf("it goes on: %v", err)
	}
}

func TestCommonHosts(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a.test", "a.test", "a.test"},
		{"a.test", "b.test", ""},
		{"a.test", "a.test:443", "a.test:443"},
		{"*.a.test", "x.a.test", "x.a.test"},
		{"x.a.test", "*.a.test", "x.a.test"},
		{"*.a.test", "*.b.a.test", "*.b.a.test"},
		{"*.a.test", "a.test", ""},
		{"*.a.test", "xa.test", ""},
		{"*.a.test *.b.a.test", "*.a.test *.b.a.test", "*.a.test *.b.a.test"},
		{"private:a.test", "a.test", "a.test"},
		{"private:a.test", "private:a.test", "private:a.test"},
	} {
		var got []string
		for _, h := range common(canonicalHosts(allow(t, strings.Fields(c.a)...)),
			canonicalHosts(allow(t, strings.Fields(c.b)...))) {
			if h.Private {
				got = append(got, "private:"+h.String())
			} else {
				got = append(got, h.String())
			}
		}
		if diff := cmp.Diff(strings.Fields(c.want), append([]string{}, got...)); diff != "" {
			t.Errorf("%s and %s: %s", c.a, c.b, diff)
		}
	}
	raw, read := app.Host{Name: "a.test", Ports: []int{1}, Protocol: app.ProtocolTCP},
		app.Host{Name: "a.test", Ports: []int{1}, Protocol: app.ProtocolHTTPS}
	for _, pair := range [][2]app.Host{{raw, read}, {read, raw}} {
		if h, _ := intersect(pair[0], pair[1]); h.Protocol != app.ProtocolHTTPS {
			t.Errorf("%v and %v: %s", pair[0], pair[1], h.Protocol)
		}
	}
}

// Little can be said in names under a wildcard.
func TestNamesUnderWildcards(t *testing.T) {
	w := newWorld(t)
	w.name("a.wild.test", []string{"93.184.215.14"})
	s := session(t, w.gateway(func(c *Config) { c.Limits.Names = 3 }),
		allow(t, fmt.Sprintf("*.wild.test:%d", w.port), fmt.Sprintf("a.exact.test:%d", w.port)))
	for _, star := range []string{strings.Repeat("a", 60) + "." + strings.Repeat("b", 20), "a.b.c.d.e"} {
		_, err := s.Dial(t.Context(), star+".wild.test", w.port)
		checkRefusal(t, s, err, rules.LongName)
	}
	for range 5 {
		conn := dial(t, s, "a.wild.test", w.port)
		conn.Close()
	}
	for _, star := range []string{"b", "c"} {
		_, err := s.Dial(t.Context(), star+".wild.test", w.port)
		checkRefusal(t, s, err, rules.Unresolved)
	}
	asked := len(w.questions())
	for i := range 50 {
		_, err := s.Dial(t.Context(), fmt.Sprintf("secret-%d.wild.test", i), w.port)
		checkRefusal(t, s, err, rules.ManyNames)
	}
	if len(w.questions()) != asked {
		t.Error("refused names were asked for")
	}
	conn := dial(t, s, "a.wild.test", w.port) // known ones go on
	conn.Close()
	_, err := s.Dial(t.Context(), "a.exact.test", w.port)
	checkRefusal(t, s, err, rules.Unresolved)
}

// Narrowing races with dialling and requests; afterwards nothing that was taken away is open.
func TestRestrictRaces(t *testing.T) {
	for range 10 {
		w := newWorld(t)
		s := limited(t, w, Limits{Burst: 1000, Rate: 1e6})
		done := make(chan struct{})
		for range 8 {
			go func() {
				defer func() { done <- struct{}{} }()
				for range 20 {
					c, err := s.Dial(t.Context(), "svc.test", w.port)
					if err != nil {
						return
					}
					_, _ = c.Write([]byte("x"))
				}
			}()
		}
		time.Sleep(time.Millisecond)
		s.Restrict(Grant{})
		for range 8 {
			<-done
		}
		s.mu.Lock()
		open := len(s.open)
		s.mu.Unlock()
		if open != 0 {
			t.Fatalf("%d connections are open", open)
		}
	}
}
