package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/mcphttp"
	"github.com/computclaw/airlock/views/paths"
)

// unhurried returns a world behind a proxy, with a clock too fast for rate limits.
func unhurried(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	start := time.Now()
	var asked atomic.Int64
	return newWorld(t, func(c *Config, _ *access.Config, _ *engine.Config) {
		c.Now = func() time.Time { return start.Add(time.Duration(asked.Add(1)) * time.Minute) }
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		for _, f := range change {
			f(c)
		}
	})
}

// open opens a session and returns its id.
func (w *world) open(headers ...string) string {
	w.t.Helper()
	a := w.call("POST", "/mcp", initialize, modelHeaders(headers...)...)
	session := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || session == "" {
		w.t.Fatalf("%d %s", a.status, a.text)
	}
	w.call("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		modelHeaders(append(headers, "Mcp-Session-Id: "+session)...)...)
	return session
}

// TestSessionOpensBriefly: a session keeps its opening request, so that is short.
func TestSessionOpensBriefly(t *testing.T) {
	w := unhurried(t)
	long := strings.Replace(initialize, `"name":"t"`, `"name":"`+strings.Repeat("x", mcphttp.MaxOpening)+`"`, 1)
	w.refused(w.call("POST", "/mcp", long, modelHeaders()...), http.StatusRequestEntityTooLarge, app.CodeTooLarge)
	if got := w.call("POST", "/mcp",
		strings.Replace(initialize, `"name":"t"`, `"name":"`+strings.Repeat("x",
			mcphttp.MaxOpening-len(initialize))+`"`, 1),
		modelHeaders()...); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.text)
	}
}

// TestNewestSessionsStay: opening endless sessions closes one's own; those can be opened again.
func TestNewestSessionsStay(t *testing.T) {
	w := unhurried(t)
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	first := w.open()
	for range mcphttp.MaxSessions {
		if a := w.call("POST", "/mcp", initialize, modelHeaders()...); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.text)
		}
	}
	within(t, "the first session is closed", func() bool {
		return w.call("POST", "/mcp", ping, modelHeaders("Mcp-Session-Id: "+first)...).status == http.StatusNotFound
	})
	again := w.open()
	for range mcphttp.MaxSessions {
		w.call("POST", "/mcp", initialize, modelHeaders("Mcp-Session-Id: "+again)...)
	}
	if a := w.call("POST", "/mcp", ping, modelHeaders("Mcp-Session-Id: "+again)...); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.text)
	}
}

// TestEndedSessionsTakeNoPlace: opening and ending sessions closes nobody else's.
func TestEndedSessionsTakeNoPlace(t *testing.T) {
	w := unhurried(t)
	first := "Mcp-Session-Id: " + w.open()
	for range mcphttp.MaxSessions + 1 {
		if a := w.call("DELETE", "/mcp", "", modelHeaders("Mcp-Session-Id: "+w.open())...); a.status != http.StatusNoContent {
			t.Fatalf("%d %s", a.status, a.text)
		}
		// Keep the first from being idle.
		if a := w.call("POST", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, modelHeaders(first)...); a.status != http.StatusOK {
			t.Fatalf("the session that stays open: %d %s", a.status, a.text)
		}
	}
}

// TestNoBatchOfMessages: a 4 MiB batch could make 40,000 calls.
func TestNoBatchOfMessages(t *testing.T) {
	w := unhurried(t)
	session := w.open()
	const batch = ` [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"skill"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"skill"}}]`
	w.refused(w.call("POST", "/mcp", batch, "Accept: application/json, text/event-stream", "Mcp-Session-Id: "+session),
		http.StatusBadRequest, app.CodeInvalidJSON)
	w.refused(w.call("POST", "/mcp", "["+initialize+"]", "Accept: application/json, text/event-stream"),
		http.StatusBadRequest, app.CodeInvalidJSON)
}

// TestNoPageSpeaksMCP: DNS rebinding gives no page access.
func TestNoPageSpeaksMCP(t *testing.T) {
	w := unhurried(t)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		a := w.call(method, "/mcp", initialize, modelHeaders("Origin: "+w.server.URL, "Sec-Fetch-Site: same-origin")...)
		w.refused(a, http.StatusForbidden, app.CodeForbidden)
	}
}

// TestCallEndsWithItsRequest: a client that disconnects leaves no waiting call behind.
func TestCallEndsWithItsRequest(t *testing.T) {
	w := unhurried(t)
	p := w.profile()
	session := w.open(bearerOf(p))
	ctx, hangUp := context.WithCancel(t.Context())
	const wait = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_profile","arguments":{},"_meta":{"progressToken":"p"}}}`
	r, err := http.NewRequestWithContext(ctx, "POST", w.server.URL+"/mcp", strings.NewReader(wait))
	w.must(err)
	for _, h := range modelHeaders("Content-Type: application/json", "Mcp-Session-Id: "+session, bearerOf(p)) {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	w.must(err)
	defer resp.Body.Close()
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil { // the first report
		t.Fatal(err)
	}
	hangUp()
	// To close a session waits for its calls.
	end, err := http.NewRequestWithContext(t.Context(), "DELETE", w.server.URL+"/mcp", nil)
	w.must(err)
	end.Header = r.Header
	ended, err := (&http.Client{Timeout: 20 * time.Second}).Do(end)
	if err != nil {
		t.Fatalf("the call goes on without anybody to tell: %v", err)
	}
	defer ended.Body.Close()
	if ended.StatusCode != http.StatusNoContent {
		t.Error(ended.Status)
	}
}

// TestSlowMessage: a session gives no extra time to send a message.
func TestSlowMessage(t *testing.T) {
	w := unhurried(t)
	session := w.open()
	address := serve(t, w.web, func(server *http.Server) { server.ReadTimeout = 300 * time.Millisecond })
	conn, err := net.Dial("tcp", address.String())
	w.must(err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn,
		"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAccept: */*\r\nMcp-Session-Id: "+
			"%s\r\nContent-Length: 1000\r\n\r\n{", session)
	w.must(err)
	w.must(conn.SetReadDeadline(time.Now().Add(20 * time.Second)))
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Errorf("the server still waits: %v", err)
	}
}

func (w *world) hurried() net.Addr {
	w.t.Helper()
	return serve(w.t, w.web, func(server *http.Server) {
		server.Handler = w.server.Config.Handler // with its sessions
		server.ReadTimeout, server.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	})
}

// TestBodyOfAStreamThatNeverComes: calls without a body don't wait for one.
func TestBodyOfAStreamThatNeverComes(t *testing.T) {
	w := unhurried(t)
	address := w.hurried()
	for _, method := range []string{"GET", "DELETE"} {
		for _, length := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
			conn, err := net.Dial("tcp", address.String())
			w.must(err)
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "%s /mcp HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n%s\r\n\r\n", method,
				length)
			w.must(err)
			w.must(conn.SetReadDeadline(time.Now().Add(10 * time.Second)))
			if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s with %s: the server still waits: %v", method, length, err)
			}
		}
	}
	within(t, "nothing is held", func() bool { return w.web.mcp.Calls() == 0 })
}

// TestBodyOfADownloadThatNeverComes: streams and artifacts, which lift deadlines, don't wait for an
// announced body.
func TestBodyOfADownloadThatNeverComes(t *testing.T) {
	s := newUISite(t)
	s.login()
	p := s.locked()
	x, _, err := s.engine.Submitter.Submit(t.Context(), executions.Submission{ProfileID: p.ID, Script: "set_result(1)"})
	s.must(err)
	cookies := s.client.Jar.Cookies(mustURL(t, s.web.URL+paths.Events))
	address := serve(t, s.server, func(server *http.Server) {
		server.Handler = s.web.Config.Handler
		server.ReadTimeout = 300 * time.Millisecond
	})
	for path, header := range map[string]string{
		paths.Events: "Cookie: " + cookies[0].String(),
		"/executions/" + x.ID + "/artifacts.tar.gz": bearerOf(p),
	} {
		conn, err := net.Dial("tcp", address.String())
		s.must(err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n%s\r\nContent-Length: 5\r\n\r\n", path, header)
		s.must(err)
		s.must(conn.SetReadDeadline(time.Now().Add(20 * time.Second)))
		if answer, err := io.ReadAll(conn); err != nil {
			t.Errorf("%s: the server still waits: %v %s", path, err, answer)
		}
	}
}

// TestAnswerThatNobodyReads: unread answers hold their place for a bounded time.
func TestAnswerThatNobodyReads(t *testing.T) {
	w := unhurried(t)
	session := w.open()
	address := w.hurried()
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	dialNarrow(t, address, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAccept: "+
		"application/json, text/event-stream\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", session,
		len(call), call))
	within(t, "the call has begun", func() bool { return w.web.mcp.Calls() == 1 })
	within(t, "the place is free again", func() bool { return w.web.mcp.Calls() == 0 })
}

// TestHoleLargeCallsAreShort: a large call stays in memory and may not wait long.
func TestHoleLargeCallsAreShort(t *testing.T) {
	t.Parallel()
	w := unhurried(t)
	p := w.profile()
	session := w.open(bearerOf(p))
	address := serve(t, w.web, func(s *http.Server) { s.WriteTimeout = 2 * time.Second })
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_profile","arguments":{},` +
		`"_meta":{"progressToken":"p"}}}`
	call += strings.Repeat(" ", app.MaxBody-len(call))
	conn := dialNarrow(t, address, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMcp-Session-Id: %s\r\n%s\r\nContent-Length: %d\r\n\r\n%s", session,
		bearerOf(p), len(call), call))
	within(t, "a place is taken", func() bool { return w.web.cfg.Bodies.Taken() == 1 })
	_, _ = io.Copy(io.Discard, conn)
	within(t, "no place is taken", func() bool { return w.web.cfg.Bodies.Taken() == 0 })
}

// TestSessionKeepsNoAddress: a call is recorded under its own address, not its session's.
func TestSessionKeepsNoAddress(t *testing.T) {
	w := unhurried(t)
	session := w.open("X-Forwarded-For: 192.0.2.1")
	const create = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_profile","arguments":{"description":"d"}}}`
	if a := w.call("POST", "/mcp", create,
		modelHeaders("Mcp-Session-Id: "+session, "X-Forwarded-For: 198.51.100.7")...); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.text)
	}
	events, err := w.access.Audit.Latest(t.Context(), 1)
	w.must(err)
	if len(events) != 1 || events[0].Actor.Address != "198.51.100.7" {
		t.Errorf("%+v", events)
	}
}

func within(t *testing.T, what string, reached func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !reached(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not " + what)
		}
	}
}
