package conns

import (
	"bufio"
	"bytes"
	"errors"
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

	"golang.org/x/sys/unix"
)

// world is a server on a real socket that answers POST with what was sent. Its clients come from
// addresses of 127/8.
type world struct {
	t        *testing.T
	listener *Listener
	log      bytes.Buffer // the accepting goroutine's
}

func newWorld(t *testing.T, most int, trusted ...string) *world {
	t.Helper()
	w := &world{t: t}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	var proxies []netip.Prefix
	for _, p := range trusted {
		proxies = append(proxies, netip.MustParsePrefix(p))
	}
	w.listener = Listen(inner, most, proxies, slog.New(slog.NewTextHandler(&w.log, nil)))
	echo := func(a http.ResponseWriter, r *http.Request) { _, _ = io.Copy(a, r.Body) }
	server := &http.Server{Handler: http.HandlerFunc(echo), ReadHeaderTimeout: time.Hour,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	served := make(chan struct{})
	go func() { _ = server.Serve(w.listener); close(served) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
		w.until("every place is free at the end", func() bool { return w.listener.places.Taken() == 0 })
		if n := strings.Count(w.log.String(), "\n"); n > 1 {
			t.Errorf("the log has %d lines:\n%s", n, w.log.String())
		}
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// dial opens a connection from an address and sends text. It returns nil if the server refused it
// so quickly that dialling failed.
func (w *world) dial(from, text string) net.Conn {
	w.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(w.t.Context(), "tcp", w.listener.Addr().String())
	if errors.Is(err, unix.ECONNRESET) {
		return nil
	}
	w.must(err)
	w.t.Cleanup(func() { _ = conn.Close() })
	w.must(conn.SetDeadline(time.Now().Add(time.Minute)))
	_, _ = io.WriteString(conn, text) // which fails if it was refused
	return conn
}

func (w *world) answered(from string) bool {
	w.t.Helper()
	conn := w.dial(from, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
	if conn == nil {
		return false
	}
	defer conn.Close()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return err == nil && string(text) == "hello"
}

func (w *world) until(what string, reached func() bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); !reached(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("not %s: %d open, %d refused", what, w.listener.places.Taken(), w.listener.refused.Load())
		}
	}
}

// TestStrangersConnectionsAreBounded: a stranger's half requests take at most half of the room, and
// others are answered.
func TestStrangersConnectionsAreBounded(t *testing.T) {
	w := newWorld(t, 40)
	halves := []string{"", "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"}
	var all []net.Conn
	for i := range 200 {
		if conn := w.dial("127.0.0.1", halves[i%len(halves)]); conn != nil {
			all = append(all, conn)
		}
	}
	w.until("half of the room is taken, and no more", func() bool {
		return w.listener.places.Taken() == 20 && w.listener.refused.Load() == 180
	})
	for i := range 20 {
		if !w.answered(fmt.Sprint("127.0.0.", 2+i%4)) {
			t.Errorf("request %d of another address was not answered", i)
		}
	}
	if w.answered("127.0.0.1") {
		t.Error("the stranger got more than half")
	}
	for _, conn := range all {
		conn.Close()
	}
	w.until("what was closed is free again", func() bool { return w.answered("127.0.0.1") })
}

// TestConnectionsAreBoundedInAll: many addresses share the total.
func TestConnectionsAreBoundedInAll(t *testing.T) {
	w := newWorld(t, 40)
	for i := range 400 {
		w.dial(fmt.Sprint("127.0.1.", 1+i%100), "")
	}
	w.until("all of the room is taken", func() bool {
		return w.listener.places.Taken() == 40 && w.listener.refused.Load() == 360
	})
}

// TestTrustedProxyHasNoShare: all visitors come through it.
func TestTrustedProxyHasNoShare(t *testing.T) {
	w := newWorld(t, 20, "127.0.0.3/32")
	for range 25 {
		w.dial("127.0.0.3", "")
	}
	w.until("all of the room is taken", func() bool { return w.listener.places.Taken() == 20 && w.listener.refused.Load() == 5 })
}

// TestEveryPlaceIsFreeInTheEnd: also of connections that end while others begin.
func TestEveryPlaceIsFreeInTheEnd(t *testing.T) {
	w := newWorld(t, 10)
	var all sync.WaitGroup
	for i := range 8 {
		from, text := fmt.Sprint("127.0.0.", 1+i%3), []string{"", "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"}[i%3]
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		all.Go(func() {
			for range 20 {
				conn, err := dialer.Dial("tcp", w.listener.Addr().String())
				if err != nil {
					continue
				}
				_ = conn.SetDeadline(time.Now().Add(10 * time.Millisecond))
				_, _ = io.WriteString(conn, text)
				_, _ = conn.Read(make([]byte, i%2))
				_ = conn.Close()
			}
		})
	}
	all.Wait()
}

// TestKernelHoldsLittleOfAnAnswer: nothing else bounds unread answers in the kernel.
func TestKernelHoldsLittleOfAnAnswer(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := Listen(inner, 10, nil, slog.Default()).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	raw, err := accepted.(conn).Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	size, failed := 0, error(nil)
	err = raw.Control(func(fd uintptr) { size, failed = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF) })
	if err != nil || failed != nil || size > 2*sendBuffer {
		t.Errorf("%d bytes, %v, %v", size, err, failed)
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
