package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

func limited(t testing.TB, w *world, l Limits) *Session {
	t.Helper()
	w.name("svc.test", []string{"93.184.215.14"})
	return session(t, w.gateway(func(c *Config) { c.Limits = l }), allow(t, fmt.Sprintf("svc.test:%d", w.port)))
}

func TestOpenConnectionsAreCapped(t *testing.T) {
	w := newWorld(t)
	s := limited(t, w, Limits{Connections: 3})
	var open []Conn
	for range 3 {
		c, err := s.Dial(t.Context(), "svc.test", w.port)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	for range 5 {
		_, err := s.Dial(t.Context(), "svc.test", w.port)
		checkRefusal(t, s, err, rules.Connections)
	}
	if row := lastRow(t, s); row.Count != 5 {
		t.Errorf("five refusals count as %d", row.Count)
	}
	open[0].Close()
	c, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatalf("after one was closed: %v", err)
	}
	echo(t, c, "hello")
	// A dial that fails gives its place back.
	s.gateway.lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no") }
	c.Close()
	for range 5 {
		_, err = s.Dial(t.Context(), "svc.test", w.port)
		checkRefusal(t, s, err, rules.Unresolved)
	}
}

func TestRateWaitsAndThenRefuses(t *testing.T) {
	w := newWorld(t)
	s := limited(t, w, Limits{Rate: 20, Burst: 1})
	started := time.Now()
	for range 3 {
		c, err := s.Dial(t.Context(), "svc.test", w.port)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	if took := time.Since(started); took < 90*time.Millisecond {
		t.Errorf("three connections at 20 per second took %s", took)
	}
	s = limited(t, w, Limits{Rate: 0.001, Burst: 1, Dial: 20 * time.Second})
	c, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	_, err = s.Dial(t.Context(), "svc.test", w.port)
	checkRefusal(t, s, err, rules.Rate)
}

func TestBytesAreCapped(t *testing.T) {
	w := newWorld(t)
	s := limited(t, w, Limits{Bytes: 100_000})
	c, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, c) }()
	chunk, sent := make([]byte, 4096), 0
	for err == nil && sent < 10_000_000 {
		var n int
		n, err = c.Write(chunk)
		sent += n
	}
	if err == nil || sent > 100_000+2*len(chunk) {
		t.Fatalf("wrote %d bytes, %v", sent, err)
	}
	_, err = s.Dial(t.Context(), "svc.test", w.port)
	checkRefusal(t, s, err, rules.Bytes)
}

func TestIdleConnectionsAreCut(t *testing.T) {
	w := newWorld(t)
	s := limited(t, w, Limits{Idle: 2 * time.Second})
	c, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range 15 { // in use for longer than the limit
		<-tick.C
		echo(t, c, "x")
	}
	rested := time.Now()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Fatal("read something")
	}
	if took := time.Since(rested); took < time.Second || took > time.Minute {
		t.Errorf("cut after %s", took)
	}
}

// A host that never answers is what the row of its request names, and not the script.
func TestIdleRequestsAreTimeouts(t *testing.T) {
	l := newLab(t)
	l.listen("api.test", 80, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	s := l.session(Limits{Idle: 200 * time.Millisecond}, []string{"api.test"})
	conn := dial(t, s, "api.test", 80)
	defer conn.Close()
	send(t, conn, "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n")
	waitFor(t, "the row says so", func() bool {
		rows := s.Ledger()
		return len(rows) == 1 && rows[0].Rule == rules.Timeout && rows[0].Verdict == app.VerdictFailed
	})
}

func TestDialTimeLimitCoversResolving(t *testing.T) {
	g := New(Config{Limits: Limits{Dial: 50 * time.Millisecond},
		Lookup: func(ctx context.Context, _ string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
	s := session(t, g, allow(t, "slow.test"))
	_, err := s.Dial(t.Context(), "slow.test", 443)
	checkRefusal(t, s, err, rules.Timeout)
}

// Close resets open connections, aborts dials, and lets nothing open afterwards.
func TestCloseCutsAtOnce(t *testing.T) {
	w := newWorld(t)
	asked := make(chan struct{})
	g := w.gateway(func(c *Config) {
		c.Limits.Dial = time.Hour
		c.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			if host == "svc.test" {
				return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
			}
			close(asked)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	s := g.Session(Grant{Hosts: allow(t, fmt.Sprintf("svc.test:%d", w.port), "slow.test")}, nil)
	c, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	echo(t, c, "hello")

	read, dialled := make(chan error, 1), make(chan error, 1)
	go func() { _, err := c.Read(make([]byte, 1)); read <- err }()
	go func() { _, err := s.Dial(t.Context(), "slow.test", 443); dialled <- err }()
	<-asked
	s.Close()
	if err := <-read; !errors.Is(err, net.ErrClosed) {
		t.Errorf("read ends with %v", err)
	}
	if err := <-dialled; app.CodeOf(err) != app.CodeForbidden {
		t.Errorf("dial ends with %v", err)
	}
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("wrote after Close")
	}
	final := s.Ledger()
	_, err = s.Dial(t.Context(), "svc.test", w.port)
	checkRefusal(t, s, err, rules.Closed)
	if final[0].BytesUp != 5 || final[0].Duration <= 0 {
		t.Errorf("row %+v", final[0])
	}
	s.Close()
}

// Connections race with Close from many sides; none survives and the ledger adds up.
func TestCloseRacesWithDial(t *testing.T) {
	for range 20 {
		w := newWorld(t)
		s := limited(t, w, Limits{Burst: 1000})
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				c, err := s.Dial(context.Background(), "svc.test", w.port)
				if err != nil {
					return
				}
				defer c.Close()
				for err == nil {
					if _, err = c.Write([]byte("x")); err == nil {
						_, err = c.Read(make([]byte, 1))
					}
				}
			})
		}
		if c, err := s.Dial(t.Context(), "svc.test", w.port); err == nil {
			echo(t, c, "y")
		}
		s.Close()
		wg.Wait()
		total := 0
		for _, row := range s.Ledger() {
			total += row.Count
		}
		if total != 17 || len(s.open) != 0 || s.dialing != 0 {
			t.Fatalf("%d connections in the ledger, %d open, %d dialling", total, len(s.open), s.dialing)
		}
	}
}

// A host that never reads can't be used to keep a write of an ended execution alive.
func TestCloseFreesABlockedWrite(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() { c, _ := listener.Accept(); accepted <- c }()
	g := New(Config{LocalServices: map[string]netip.AddrPort{"deaf.test:8080": netip.MustParseAddrPort(
		listener.Addr().String())}})
	s := g.Session(Grant{Hosts: allow(t, "deaf.test:8080")}, nil)
	c, err := s.Dial(t.Context(), "deaf.test", 8080)
	if err != nil {
		t.Fatal(err)
	}
	host := <-accepted
	defer host.Close()
	written := make(chan error, 1)
	go func() {
		var err error
		for chunk := make([]byte, 1<<20); err == nil; {
			_, err = c.Write(chunk)
		}
		written <- err
	}()
	first := make([]byte, 1)
	if _, err := io.ReadFull(host, first); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := <-written; !errors.Is(err, net.ErrClosed) {
		t.Fatalf("write ends with %v", err)
	}
	// What was still buffered is dropped: the host sees a reset, not an orderly end.
	_ = host.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.Copy(io.Discard, host); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the host sees %v; want a reset", err)
	}
}

// Limits of the box are named. Otherwise an agent would ask for a host that is already allowed.
func TestLimitsOfTheBoxHaveRows(t *testing.T) {
	w := newWorld(t)
	s := session(t, w.gateway(), allow(t, "*.svc.test", "svc.test"))
	for _, test := range []struct {
		report func()
		host   string
		port   int
		rule   string
	}{
		{func() { s.RecordLimited("svc.test", 443, rules.Connections) }, "svc.test", 443, rules.Connections},
		{func() { s.RecordLimited("svc.test", 443, rules.Total) }, "svc.test", 443, rules.Total},
		{func() { s.RecordLimited("n64.test", 0, rules.Refusals) }, "n64.test", 0, rules.Refusals},
		{func() { s.RecordRefused("n257.svc.test") }, "n257.svc.test", 0, rules.ManyNames},
		{func() { s.RecordRefused(strings.Repeat("x.", 60) + "svc.test") }, strings.Repeat("x.", 60) + "svc.test", 0,
			rules.LongName},
		{func() { s.RecordRefused("other.test") }, "other.test", 0, rules.NotListed},
	} {
		test.report()
		row := lastRow(t, s)
		if row.Host != test.host || row.Port != test.port || row.Rule != test.rule || row.Verdict != app.VerdictDenied {
			t.Errorf("%s:%d has the row %+v, want the rule %q", test.host, test.port, row, test.rule)
		}
	}
}
