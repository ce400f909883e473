package web

import (
	"bufio"
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
		w.must(conn.SetWriteDeadline(time.Now().Add(time.Minute)))
		_, _ = fmt.Fprintf(conn, "POST /execute HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n%s", app.MaxBody, large[:n])
	}
	held := w.web.bodies.taken
	whole := int64(app.MaxBody - smallBody)
	const most = 8               // whole ones that one address may have
	for n := range int64(most) { // one after another: of those that come at once more are refused than need be
		send(len(large))
		within(t, "a body is held as a whole", func() bool { return held() == (n+1)*whole })
	}
	send(len(large))
	send(len(large))
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.1"), http.StatusTooManyRequests, app.CodeRateLimited)
	// While one is still being refused, what was read of it is held as well.
	within(t, "as much is held as one address may", func() bool { return held() == most*whole })
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.2"), http.StatusBadRequest, app.CodeInvalidJSON)
	w.refused(w.call("POST", "/execute", large[:smallBody], "X-Forwarded-For: 192.0.2.1"), http.StatusBadRequest, app.CodeInvalidJSON)
}

// TestSlowBodiesGiveWay: when all room is taken by bodies that have been coming for long, whoever comes next refuses one of them, and finds room soon.
func TestSlowBodiesGiveWay(t *testing.T) {
	w := unhurried(t)
	w.web.bodies.tenure = 0
	large := strings.Repeat(" ", app.MaxBody)
	var slow []net.Conn
	for n := range int64(8) {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		w.must(err)
		t.Cleanup(func() { _ = conn.Close() })
		w.must(conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = fmt.Fprintf(conn, "POST /execute HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nX-Forwarded-For: 192.0.2.%d\r\n\r\n%s", len(large), n%2, large[1:])
		w.must(err)
		slow = append(slow, conn)
		within(t, "a body is held as a whole", func() bool { return w.web.bodies.taken() == (n+1)*(app.MaxBody-smallBody) })
	}
	w.web.bodies.mu.Lock()
	w.web.bodies.most = 9 * (app.MaxBody - smallBody) // a ninth one finds as much free as it has when half of it is there
	w.web.bodies.mu.Unlock()
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.9"), http.StatusTooManyRequests, app.CodeRateLimited)
	within(t, "one has given way", func() bool { return w.web.bodies.taken() == 7*(app.MaxBody-smallBody) })
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.9"), http.StatusBadRequest, app.CodeInvalidJSON)
	answer, err := http.ReadResponse(bufio.NewReader(slow[0]), nil)
	w.must(err)
	text, err := io.ReadAll(answer.Body)
	w.must(err)
	w.must(answer.Body.Close())
	if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") == "" || !strings.Contains(string(text), string(app.CodeRateLimited)) {
		t.Errorf("who gave way is told %d %s", answer.StatusCode, text)
	}
	// One whose last byte comes late is a body like any other as long as nobody needs its room.
	_, err = io.WriteString(slow[7], " ")
	w.must(err)
	if answer, err = http.ReadResponse(bufio.NewReader(slow[7]), nil); err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("%v %v", answer, err)
	}
}

// TestRoomOfBodies: what is released is free again, and nothing is counted twice.
func TestRoomOfBodies(t *testing.T) {
	all := room{most: maxBodies, tenure: time.Hour}
	open := func(address string, size int) *countedBody {
		return &countedBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))), stay: &stay{room: &all, address: address}}
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
