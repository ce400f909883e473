package testrequest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store/storetest"
)

const value = "planted-sealed-value-0123456789"

var person = app.Actor{Kind: app.ActorPerson, Name: "test"}

// world is a real store, a real gateway, and one host that answers as the test says under several
// names.
type world struct {
	t      *testing.T
	access *access.Parts
	tester *Tester
	answer http.HandlerFunc

	mu   sync.Mutex
	seen []*http.Request
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, answer: func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, r.Header) }}
	st := storetest.Open(t)
	ring, err := secrets.NewKeyring(app.NewSecret(strings.Repeat("k", 32)))
	w.must(err)
	w.access = access.New(access.Config{Store: st, Keyring: ring})
	instance, err := ca.New(time.Now())
	w.must(err)
	trusted, err := ca.New(time.Now())
	w.must(err)
	stranger, err := ca.New(time.Now())
	w.must(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(trusted.Certificate())
	tlsHost, untrusted, plain := w.serve(trusted), w.serve(stranger), w.serve(nil)
	w.tester = New(Config{Access: w.access, Authority: instance.Certificate(), Timeout: 10 * time.Second,
		Gateway: egress.New(egress.Config{
			LocalServices: map[string]netip.AddrPort{
				"api.test:443": tlsHost, "a.wild.test:443": tlsHost, "api.test:8443": tlsHost, "odd.test:443": untrusted,
				"api.test:80": plain,
			},
			Lookup: func(_ context.Context, name string) ([]netip.Addr, error) {
				return map[string][]netip.Addr{"inside.test": {netip.MustParseAddr("10.255.255.1")}}[name], nil
			},
			Authority: instance, Roots: roots,
		})})
	return w
}

func (w *world) serve(authority *ca.Authority) netip.AddrPort {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	addr := netip.MustParseAddrPort(listener.Addr().String())
	if authority != nil {
		listener = tls.NewListener(listener,
			&tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate,
				error) {
				return authority.Leaf(h.ServerName)
			}})
	}
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.mu.Lock()
			w.seen = append(w.seen, r)
			w.mu.Unlock()
			w.answer(rw, r)
		})}
	go func() { _ = srv.Serve(listener) }()
	w.t.Cleanup(func() { _ = srv.Close() })
	return addr
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) requests() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

func (w *world) sealed(plainHTTP bool, hosts ...string) {
	w.t.Helper()
	in := credentials.Input{Name: "KEY", Mode: app.ModeSealed, Value: app.NewSecret(value), PlainHTTP: &plainHTTP}
	for _, text := range hosts {
		h, err := app.ParseHost(text)
		w.must(err)
		in.Hosts = append(in.Hosts, h)
	}
	_, err := w.access.Credentials.Set(w.t.Context(), person, in)
	w.must(err)
}

// test sends one and checks what holds for every outcome: it is recorded, and shows nothing of the
// value.
func (w *world) test(req Request) Result {
	w.t.Helper()
	req.Name = "KEY"
	r, err := w.tester.TestCredential(w.t.Context(), person, req)
	w.must(err)
	c, err := w.access.Credentials.ByName(w.t.Context(), "KEY")
	w.must(err)
	if c.CheckedAt.IsZero() || c.CheckError != r.Problem || c.CheckProved != r.Proved {
		w.t.Errorf("the credential says %v %q, the test %q", c.CheckedAt, c.CheckError, r.Problem)
	}
	events, err := w.access.Audit.Latest(w.t.Context(), 1)
	w.must(err)
	if events[0].Action != "credential.test" || events[0].Subject != "KEY" || events[0].Actor != person {
		w.t.Errorf("the audit log says %+v", events[0])
	}
	if text := fmt.Sprintf("%+v %+v %+v", r, c, events[0]); strings.Contains(text, "planted") ||
		strings.Contains(text, "airlock_sealed_") {
		w.t.Errorf("something secret is in %s", text)
	}
	return r
}
