package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
)

// The tests' secret and its placeholder.
const testValue = "sk_live_4vR9tXw2LmQ8bN6zK1cJ"

var testPlaceholder = swap.Placeholder([]byte("twenty bytes of a hash, or so"))

// lab is a world of sites with a trusted authority, and a gateway that reads some of them.
type lab struct {
	t       testing.TB
	public  *ca.Authority // of the sites
	airlock *ca.Authority // of the instance
	names   map[string]string
}

// lastAddress counts sites' addresses: listeners may outlive tests.
var lastAddress atomic.Int64

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{t: t, names: map[string]string{}}
	var err error
	if l.public, err = ca.New(time.Now()); err != nil {
		t.Fatal(err)
	}
	if l.airlock, err = ca.New(time.Now()); err != nil {
		t.Fatal(err)
	}
	return l
}

func pool(certificates ...[]byte) *x509.CertPool {
	p := x509.NewCertPool()
	for _, c := range certificates {
		p.AppendCertsFromPEM(c)
	}
	return p
}

// site is a host of the lab.
type site struct {
	name        string
	connections atomic.Int64
	requests    atomic.Int64
	live        atomic.Int64
}

func (l *lab) listen(name string, port int, serve func(net.Conn)) *site {
	l.t.Helper()
	at, known := l.names[name]
	if !known {
		n := lastAddress.Add(1)
		at = fmt.Sprintf("93.184.%d.%d", 216+n/250, 1+n%250)
		l.names[name] = at
	}
	listener, err := net.Listen("tcp4", fmt.Sprintf("%s:%d", at, port))
	if err != nil {
		l.t.Fatal(err)
	}
	s := &site{name: name}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			s.live.Add(1)
			served.Go(func() { defer s.live.Add(-1); defer c.Close(); serve(c) })
		}
	})
	l.t.Cleanup(func() { _ = listener.Close(); served.Wait() })
	return s
}

func (l *lab) web(name string, port int, config *tls.Config, handler http.HandlerFunc) *site {
	l.t.Helper()
	var s *site
	server := &http.Server{Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { s.requests.Add(1); handler(w, r) })}
	feed := &feeder{conns: make(chan net.Conn), done: make(chan struct{})}
	s = l.listen(name, port, func(c net.Conn) {
		ended := make(chan struct{})
		if config != nil {
			c = tls.Server(c, config)
		}
		select {
		case feed.conns <- &closing{Conn: c, closed: sync.OnceFunc(func() { close(ended) })}:
			<-ended
		case <-feed.done:
		}
	})
	go func() { _ = server.Serve(feed) }()
	l.t.Cleanup(func() { _ = server.Close() })
	return s
}

type feeder struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (f *feeder) Accept() (net.Conn, error) {
	select {
	case c := <-f.conns:
		return c, nil
	case <-f.done:
		return nil, net.ErrClosed
	}
}
func (f *feeder) Close() error   { f.once.Do(func() { close(f.done) }); return nil }
func (f *feeder) Addr() net.Addr { return &net.TCPAddr{} }

type closing struct {
	net.Conn
	closed func()
}

func (c *closing) Close() error { defer c.closed(); return c.Conn.Close() }

// tls is the configuration of a proper host.
func (l *lab) tls(name string) *tls.Config {
	l.t.Helper()
	c, err := l.public.Leaf(name)
	if err != nil {
		l.t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{*c}, NextProtos: []string{"http/1.1"}}
}

func (l *lab) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	if at, ok := l.names[host]; ok {
		return []netip.Addr{netip.MustParseAddr(at)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (l *lab) gateway(limits ...Limits) *Gateway {
	cfg := Config{Lookup: l.lookup, Authority: l.airlock, Roots: pool(l.public.Certificate())}
	if len(limits) > 0 {
		cfg.Limits = limits[0]
	}
	return New(cfg)
}

func credential(t testing.TB, hosts ...string) secrets.Resolved {
	return secrets.Resolved{
		Key: "API_KEY", Placeholder: testPlaceholder, Secret: app.NewSecret(testValue),
		Scope: secrets.Scope{
			Hosts: allow(t, hosts...), Places: []app.Place{app.PlaceHeader, app.PlaceQuery, app.PlaceBody},
			Headers: app.SealedHeaders(nil), PlainHTTP: true,
		},
	}
}

func (l *lab) sealed(hosts ...string) []secrets.Resolved {
	return []secrets.Resolved{credential(l.t, hosts...)}
}

// session seals the credential for the hosts after "sealed".
func (l *lab) session(limits Limits, hosts []string, sealed ...string) *Session {
	l.t.Helper()
	grant := Grant{Hosts: allow(l.t, hosts...)}
	if len(sealed) > 0 {
		grant.Sealed = l.sealed(sealed...)
	}
	s := l.gateway(limits).Session(grant, nil)
	l.t.Cleanup(s.Close)
	return s
}

// client trusts only a box's bundle.
func (l *lab) client(s *Session) *http.Client {
	t := &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			var n int
			if _, err := fmt.Sscan(port, &n); err != nil {
				return nil, err
			}
			c, err := s.Dial(ctx, host, n)
			if err != nil {
				return nil, err
			}
			return NetConn(c), nil
		},
		TLSClientConfig:       &tls.Config{RootCAs: pool(l.public.Certificate(), l.airlock.Certificate())},
		DisableCompression:    true,
		ExpectContinueTimeout: time.Minute,
	}
	l.t.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (l *lab) get(client *http.Client, url string) (*http.Response, string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testPlaceholder)
	return l.do(client, r)
}

func (l *lab) do(client *http.Client, r *http.Request) (*http.Response, string) {
	l.t.Helper()
	resp, err := client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp, string(body)
}

// reflect answers with what it was sent.
func reflect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Seen", r.Header.Get("Authorization"))
	fmt.Fprintf(w, "%s %s %s\n", r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"))
	_, _ = io.Copy(w, r.Body)
}

// dial opens a box's connection or fails the test.
func dial(t testing.TB, s *Session, host string, port int) Conn {
	t.Helper()
	c, err := s.Dial(t.Context(), host, port)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answers(t testing.TB, c io.Reader, n int) []*http.Response {
	t.Helper()
	reader := bufio.NewReader(c)
	var list []*http.Response
	for range n {
		resp, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", len(list)+1, err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body = io.NopCloser(newText(body))
		list = append(list, resp)
	}
	return list
}

func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("still not: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
