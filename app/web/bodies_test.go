package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// TestManyBodiesAtOnce: strangers who send large bodies slowly, as many as they like, don't take the memory of the server, nor the room of other addresses, and small requests always pass.
func TestManyBodiesAtOnce(t *testing.T) {
	w := unhurried(t)
	large := strings.Repeat(" ", app.MaxBody-1)
	send := func(n int) {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		w.must(err)
		t.Cleanup(func() { _ = conn.Close() })
		w.must(conn.SetWriteDeadline(time.Now().Add(5 * time.Second)))
		_, _ = fmt.Fprintf(conn, "POST /execute HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n%s", app.MaxBody, large[:n])
	}
	for range 10 {
		send(len(large))
	}
	held := func() int64 {
		w.web.bodies.mu.Lock()
		defer w.web.bodies.mu.Unlock()
		return w.web.bodies.all
	}
	within(t, "as much is held as one address may", func() bool { return held() > maxBodies/2-app.MaxBody })
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.1"), http.StatusTooManyRequests, app.CodeRateLimited)
	if n := held(); n > maxBodies/2 {
		t.Errorf("one address holds %d bytes", n)
	}
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.2"), http.StatusBadRequest, app.CodeInvalidJSON)
	w.refused(w.call("POST", "/execute", large[:smallBody], "X-Forwarded-For: 192.0.2.1"), http.StatusBadRequest, app.CodeInvalidJSON)
}

// TestRoomOfBodies: what is released is free again, and nothing is counted twice.
func TestRoomOfBodies(t *testing.T) {
	var all bodies
	open := func(address string, size int) *countedBody {
		return &countedBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))), bodies: &all, address: address}
	}
	var kept []*countedBody
	for i := range 100 {
		b := open(fmt.Sprint("address ", i%3), app.MaxBody)
		if _, err := io.Copy(io.Discard, b); err != nil && err != errBodies { //nolint:errorlint // the sentinel itself
			t.Fatal(err)
		}
		kept = append(kept, b)
	}
	if all.all > maxBodies || all.all < maxBodies/2 || len(all.addresses) != 3 {
		t.Errorf("%d bytes are held: %v", all.all, all.addresses)
	}
	small := open("address 0", smallBody)
	if n, err := io.Copy(io.Discard, small); err != nil || n != smallBody {
		t.Errorf("a small body: %d bytes, %v", n, err)
	}
	for _, b := range append(kept, small) {
		b.release()
		b.release()
	}
	if all.all != 0 || len(all.addresses) != 0 {
		t.Errorf("%d bytes are left: %v", all.all, all.addresses)
	}
}
