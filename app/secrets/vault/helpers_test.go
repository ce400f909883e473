//go:build vault

package vault

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

type world struct {
	t      *testing.T
	server *vaulttest.Server
	client *Client
	log    *lockedLog
}

// reader is a policy that may read everything below the KV mounts.
func reader(s *vaulttest.Server) string {
	s.Policy("reader", map[string]string{"secret/data/*": "read", "kv/*": "read"})
	return "reader"
}

// newWorld runs a Vault, and a Client whose token may read.
func newWorld(t *testing.T, change ...func(*vaulttest.Server, *Config)) *world {
	t.Helper()
	s := vaulttest.Start(t)
	w := &world{t: t, server: s, log: &lockedLog{}}
	cfg := Config{Address: s.URL, Token: app.NewSecret(s.Token("1h", reader(s))), Timeout: 20 * time.Second,
		Log: logTo(w.log)}
	for _, f := range change {
		f(s, &cfg)
	}
	client, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.client = client
	return w
}

func logTo(l *lockedLog) *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// lockedLog is a Client's log that tests may read concurrently.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func ref(text string) app.Reference {
	r, err := app.ParseReference(text)
	if err != nil {
		panic(err)
	}
	return r
}

func (w *world) read(text string) (Value, error) {
	f, err := w.client.Fetch(w.t.Context(), []app.Reference{ref(text)})
	return f.Values[ref(text)], err
}

func (w *world) mustRead(text string) string {
	w.t.Helper()
	v, err := w.read(text)
	if err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
	return v.Secret.Reveal()
}

// refused checks that a reference can't be read, and why.
func (w *world) refused(text string, code app.Code, reason string) {
	w.t.Helper()
	v, err := w.read(text)
	var which *ReadError
	var told *app.Error
	if !errors.As(err, &which) || !errors.As(err, &told) || which.Reference != ref(text) || told.Code != code ||
		!strings.Contains(told.Message, reason) || told.Hint == "" || !v.Secret.Empty() {
		w.t.Errorf("%s: %v; want %s, %s", text, err, code, reason)
	}
}

// gate is a proxy for the Vault that can hold and counts requests.
type gate struct {
	proxy *httputil.ReverseProxy

	mu   sync.Mutex
	seen []*http.Request
	hold func(*http.Request) <-chan struct{} // nil: let through
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.seen = append(g.seen, r)
	hold := g.hold
	g.mu.Unlock()
	if hold != nil {
		if wait := hold(r); wait != nil {
			<-wait
		}
	}
	// The Vault answers also when the client has gone.
	g.proxy.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
}

// count returns how many requests went to a path.
func (g *gate) count(path string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, r := range g.seen {
		if r.URL.Path == "/v1/"+path {
			n++
		}
	}
	return n
}

func newGate(t *testing.T, target string) *gate {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return &gate{proxy: httputil.NewSingleHostReverseProxy(u)}
}
