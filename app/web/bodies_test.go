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
	"github.com/computclaw/airlock/app/web/httpx"
)

// TestManyBodiesAtOnce: strangers who send large bodies slowly, as many as they like, don't take
// the memory of the server, nor the room of other addresses, and small requests always pass.
func TestManyBodiesAtOnce(t *testing.T) {
	w := unhurried(t)
	large := strings.Repeat(" ", app.MaxBody-1)
	send := func(n int) {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		w.must(err)
		t.Cleanup(func() { _ = conn.Close() })
		w.must(conn.SetWriteDeadline(time.Now().Add(time.Minute)))
		_, _ = fmt.Fprintf(conn, "POST /execute HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nX-Forwarded-For: "+
			"192.0.2.1\r\n\r\n%s", app.MaxBody, large[:n])
	}
	held := w.web.bodies.Used
	whole := int64(app.MaxBody - httpx.SmallBody)
	const most = 8               // whole ones that one address may have
	for n := range int64(most) { // one after another: of those that come at once more are refused than need be
		send(len(large))
		within(t, "a body is held as a whole", func() bool { return held() == (n+1)*whole })
	}
	send(len(large))
	send(len(large))
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.1"), http.StatusTooManyRequests,
		app.CodeRateLimited)
	// While one is still being refused, what was read of it is held as well.
	within(t, "as much is held as one address may", func() bool { return held() == most*whole })
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.2"), http.StatusBadRequest,
		app.CodeInvalidJSON)
	w.refused(w.call("POST", "/execute", large[:httpx.SmallBody], "X-Forwarded-For: 192.0.2.1"), http.StatusBadRequest,
		app.CodeInvalidJSON)
}

// TestSlowBodiesGiveWay: when all room is taken by bodies that have been coming for long, whoever
// comes next refuses one of them, and finds room soon.
func TestSlowBodiesGiveWay(t *testing.T) {
	w := unhurried(t)
	w.web.bodies.Resize(64<<20, 0)
	large := strings.Repeat(" ", app.MaxBody)
	var slow []net.Conn
	for n := range int64(8) {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		w.must(err)
		t.Cleanup(func() { _ = conn.Close() })
		w.must(conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = fmt.Fprintf(conn,
			"POST /execute HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nX-Forwarded-For: 192.0.2.%d\r\n\r\n%s",
			len(large), n%2,
			large[1:])
		w.must(err)
		slow = append(slow, conn)
		within(t, "a body is held as a whole",
			func() bool { return w.web.bodies.Used() == (n+1)*(app.MaxBody-httpx.SmallBody) })
	}
	// a ninth one finds as much free as it has when half of it is there
	w.web.bodies.Resize(9*(app.MaxBody-httpx.SmallBody), 0)
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.9"), http.StatusTooManyRequests,
		app.CodeRateLimited)
	within(t, "one has given way", func() bool { return w.web.bodies.Used() == 7*(app.MaxBody-httpx.SmallBody) })
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.9"), http.StatusBadRequest,
		app.CodeInvalidJSON)
	answer, err := http.ReadResponse(bufio.NewReader(slow[0]), nil)
	w.must(err)
	text, err := io.ReadAll(answer.Body)
	w.must(err)
	w.must(answer.Body.Close())
	if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(text), string(app.CodeRateLimited)) {
		t.Errorf("who gave way is told %d %s", answer.StatusCode, text)
	}
	// One whose last byte comes late is a body like any other as long as nobody needs its room.
	_, err = io.WriteString(slow[7], " ")
	w.must(err)
	if answer, err = http.ReadResponse(bufio.NewReader(slow[7]), nil); err != nil ||
		answer.StatusCode != http.StatusBadRequest {
		t.Errorf("%v %v", answer, err)
	}
}
