package conns

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is a server on a real socket, whose clients come from addresses of 127/8. GET /wait is
// answered when the test ends the waiting, GET /large with 16 MiB, POST with what was sent.
type world struct {
	t       *testing.T
	set     *Set
	address string
	wait    chan struct{}
	log     lockedBuilder
}

type lockedBuilder struct {
	mu sync.Mutex
	strings.Builder
}

func (b *lockedBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}

func (b *lockedBuilder) lines() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.String(), "\n")
}

func newWorld(t *testing.T, cfg Config) *world {
	t.Helper()
	w := &world{t: t, wait: make(chan struct{})}
	cfg.Log = slog.New(slog.NewTextHandler(&w.log, nil))
	w.set = New(cfg)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	w.address = listener.Addr().String()
	server := &http.Server{Handler: Handler(http.HandlerFunc(w.serve)), ConnContext: Context, MaxHeaderBytes: 32 << 10,
		ReadHeaderTimeout: time.Hour, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go func() { _ = server.Serve(w.set.Listener(listener)) }()
	t.Cleanup(func() { _ = server.Close() })
	return w
}

func (w *world) serve(a http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/wait":
		select {
		case <-w.wait:
		case <-r.Context().Done():
		}
	case "/large":
		_, _ = a.Write(make([]byte, 16<<20))
	default:
		if text, err := io.ReadAll(r.Body); err == nil {
			_, _ = a.Write(text)
		}
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// dial opens a connection from an address and sends text.
func (w *world) dial(from, text string) net.Conn {
	w.t.Helper()
	conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(w.t.Context(), "tcp", w.address)
	w.must(err)
	w.t.Cleanup(func() { _ = conn.Close() })
	w.must(conn.SetDeadline(time.Now().Add(time.Minute)))
	_, _ = io.WriteString(conn, text) // which fails if it was refused
	return conn
}

// answered sends a whole request and reads the answer.
func (w *world) answered(from, body string) {
	w.t.Helper()
	conn := w.dial(from, fmt.Sprintf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	defer conn.Close()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		w.t.Errorf("an honest request from %s: %v", from, err)
		return
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); string(got) != body {
		w.t.Errorf("an honest request from %s: %d bytes, %v", from, len(got), err)
	}
}

// ended reads until the connection ends.
func (w *world) ended(what string, conn net.Conn) {
	w.t.Helper()
	w.must(conn.SetDeadline(time.Now().Add(time.Minute)))
	if _, err := io.Copy(io.Discard, conn); isTimeout(err) {
		w.t.Error(what + " is still open")
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // as it is returned
	return ok && timeout.Timeout()
}

func (w *world) until(what string, reached func(State) bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); !reached(w.set.State()); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("not %s: %+v", what, w.set.State())
		}
	}
}

const head = "GET /wait HTTP/1.1\r\nHost: a\r\n"

// TestStrangersConnectionsAreBounded: however many connections strangers open, and whatever half a
// request they send, so many stay, one address keeps half, and others are answered.
func TestStrangersConnectionsAreBounded(t *testing.T) {
	w := newWorld(t, Config{Most: 40, Bytes: 1 << 30})
	halves := []string{"", "GET / HT", head, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n"}
	for i := range 200 {
		w.dial("127.0.0.1", halves[i%len(halves)])
	}
	w.until("half of the room is taken, and no more", func(s State) bool { return s.Open == 20 && s.Closed == 180 })
	for range 50 {
		w.answered("127.0.0.1", "hello")
		w.answered("127.0.0.2", "hello")
	}
	// From many addresses there is always room for one more.
	for i := range 400 {
		w.dial(fmt.Sprint("127.0.1.", 1+i%10), halves[i%len(halves)])
	}
	w.until("everything was accepted", func(s State) bool { return s.Open+int(s.Closed) >= 20+180+400 && s.Open <= 40 })
	for range 50 {
		w.answered("127.0.0.2", "hello")
	}
	if s := w.set.State(); s.Refused != 0 || s.Open > 40 {
		t.Errorf("%+v", s)
	}
	if w.log.lines() != 1 {
		t.Errorf("the log has %d lines:\n%s", w.log.lines(), w.log.String())
	}
}

// TestWhoIsServedDoesNotGiveWay: connections that wait for the server stay, and what comes when
// there are no others is closed at once.
func TestWhoIsServedDoesNotGiveWay(t *testing.T) {
	w := newWorld(t, Config{Most: 20, Bytes: 1 << 30})
	var polls []net.Conn
	for i := range 10 {
		polls = append(polls, w.dial("127.0.0.1", head+"\r\n"))
		w.until("the poll is being served", func(s State) bool { return s.Open == i+1 && w.waits() == 0 })
	}
	beyond, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.1")}}).DialContext(t.Context(), "tcp",
		w.address)
	if err == nil { // it may be closed before the client knows that it is open
		defer beyond.Close()
		w.ended("a connection beyond its address's share", beyond)
	}
	w.answered("127.0.0.2", "hello")
	if s := w.set.State(); s.Refused != 1 || s.Closed != 0 {
		t.Errorf("%+v", s)
	}
	close(w.wait)
	for _, poll := range polls {
		answer, err := http.ReadResponse(bufio.NewReader(poll), nil)
		w.must(err)
		answer.Body.Close()
	}
	w.until("all polls wait for their next request", func(State) bool { return w.waits() >= 10 })
	w.answered("127.0.0.1", "hello")
}

func (w *world) waits() int {
	w.set.mu.Lock()
	defer w.set.mu.Unlock()
	return w.set.waiting.Len()
}

// TestManyHalfRequestsAtOnce: what half a request holds is bounded over all, and those that are
// sent in one go pass meanwhile, from the same address too.
func TestManyHalfRequestsAtOnce(t *testing.T) {
	const most = 1 << 20
	w := newWorld(t, Config{Most: 1000, Bytes: most})
	long := strings.Repeat("x", 30<<10)
	for i, half := range []string{head + "X: " + long,
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" + long} {
		for range 100 {
			w.dial("127.0.0.1", half)
		}
		w.until("all were read, and the oldest closed", func(s State) bool {
			return s.Open+int(s.Closed) == 100*(i+1) && s.Held == int64(s.Open*len(half)) && s.Held <= most/2 && s.Held > most/4
		})
		w.answered("127.0.0.1", long)
		w.answered("127.0.0.2", long)
	}
	for i := range 200 {
		w.dial(fmt.Sprint("127.0.1.", 1+i%10), head+"X: "+long)
		w.answered("127.0.0.2", "hello")
	}
	if s := w.set.State(); s.Held > most || s.Refused > 0 {
		t.Errorf("%+v", s)
	}
}

// TestReaderThatTakesNothingGivesWay: an answer that nobody takes is no reason to stay.
func TestReaderThatTakesNothingGivesWay(t *testing.T) {
	w := newWorld(t, Config{Most: 1000, Bytes: 4 * mostOfOne})
	readers := []net.Conn{}
	for range 3 {
		readers = append(readers, w.dial("127.0.0.1", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"))
	}
	w.until("the first has given way", func(s State) bool { return s.Closed == 1 && s.Held == 2*mostOfOne })
	gone := 0
	for _, reader := range readers {
		n, err := io.Copy(io.Discard, io.LimitReader(reader, 16<<20))
		if isTimeout(err) {
			t.Fatal(err)
		}
		if n < 16<<20 {
			gone++
		}
	}
	if gone != 1 {
		t.Errorf("%d readers were closed", gone)
	}
	w.until("nothing is held", func(s State) bool { return s.Held == 0 })
}

// TestTrustedProxyHasNoShare: all visitors come through it.
func TestTrustedProxyHasNoShare(t *testing.T) {
	w := newWorld(t, Config{Most: 20, Bytes: 1 << 30, Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.3/32")}})
	for range 20 {
		w.dial("127.0.0.3", head)
	}
	w.until("all of the room is taken", func(s State) bool { return s.Open == 20 && s.Closed == 0 })
	w.answered("127.0.0.3", "hello")
	w.answered("127.0.0.1", "hello")
	if s := w.set.State(); s.Closed == 0 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
}

// TestNothingIsLeftOfConnections: the books are even when all are gone, however they went.
func TestNothingIsLeftOfConnections(t *testing.T) {
	w := newWorld(t, Config{Most: 10, Bytes: 1 << 20})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 5 {
				text := []string{head, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
					"GET /large HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n"}[i%4]
				conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(fmt.Sprint("127.0.0.", 1+i%3))}}).DialContext(
					context.Background(), "tcp", w.address)
				if err != nil {
					continue
				}
				_, _ = io.WriteString(conn, text)
				_, _ = conn.Read(make([]byte, i%4))
				_ = conn.Close()
			}
		})
	}
	all.Wait()
	w.until("nothing is left", func(s State) bool { return s.Open == 0 && s.Held == 0 })
	if len(w.set.addresses) != 0 || w.waits() != 0 {
		t.Errorf("%d addresses, %d connections are left", len(w.set.addresses), w.waits())
	}
}

// TestNetworkIsOneClient: a machine has a /64 of IPv6 to itself.
func TestNetworkIsOneClient(t *testing.T) {
	of := func(text string) string { return Network(netip.MustParseAddr(text)) }
	if of("2001:db8::1") != of("2001:db8::ffff:2") || of("2001:db8::1") == of("2001:db8:0:1::1") ||
		of("::ffff:192.0.2.1") != of("192.0.2.1") || of("192.0.2.1") == of("192.0.2.2") {
		t.Error(of("2001:db8::1"), of("::ffff:192.0.2.1"))
	}
}
