package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/computclaw/airlock/app"
)

// world is a small internet: echo servers at every IPv4 address, and names that the test gives out.
type world struct {
	port  int
	mu    sync.Mutex
	names map[string][][]string // answers in order; the last one stays
	asked []string
	seen  []string // local addresses of accepted connections
}

func newWorld(t testing.TB) *world {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{port: listener.Addr().(*net.TCPAddr).Port, names: map[string][][]string{}}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			w.mu.Lock()
			w.seen = append(w.seen, netip.MustParseAddrPort(c.LocalAddr().String()).Addr().String())
			w.mu.Unlock()
			served.Go(func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		served.Wait()
	})
	return w
}

// name sets a name's answers, one list per question.
func (w *world) name(name string, answers ...[]string) { w.names[name] = answers }

func (w *world) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, host)
	answers, ok := w.names[host]
	if !ok {
		return nil, errors.New("no such host")
	}
	if len(answers) > 1 {
		w.names[host] = answers[1:]
	}
	var list []netip.Addr
	for _, a := range answers[0] {
		list = append(list, netip.MustParseAddr(a))
	}
	return list, nil
}

func (w *world) gateway(change ...func(*Config)) *Gateway {
	cfg := Config{Lookup: w.lookup}
	for _, c := range change {
		c(&cfg)
	}
	return New(cfg)
}

// reached returns the addresses on which connections arrived.
func (w *world) reached() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

func (w *world) questions() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// allow makes entries from the short form; "private:" sets the tick.
func allow(t testing.TB, entries ...string) []app.Host {
	t.Helper()
	var hosts []app.Host
	for _, e := range entries {
		text, private := cutPrivate(e)
		h, err := app.ParseHost(text)
		if err != nil {
			t.Fatal(err)
		}
		h.Private = private
		hosts = append(hosts, h)
	}
	return hosts
}

func cutPrivate(e string) (string, bool) {
	if len(e) > 8 && e[:8] == "private:" {
		return e[8:], true
	}
	return e, false
}

// session starts a session that ends with the test.
func session(t testing.TB, g *Gateway, hosts []app.Host) *Session {
	t.Helper()
	s := g.Session(Grant{Hosts: hosts}, nil)
	t.Cleanup(s.Close)
	return s
}

func echo(t testing.TB, c Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != text {
		t.Fatalf("got %q, %v; want %q back", got, err, text)
	}
}

// lastRow returns the last ledger row.
func lastRow(t testing.TB, s *Session) app.Connection {
	t.Helper()
	rows := s.Ledger()
	if len(rows) == 0 {
		t.Fatal("the ledger is empty")
	}
	return rows[len(rows)-1]
}
