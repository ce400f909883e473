package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/executions"
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

// TestNoBatchOfMessages: a 4 MiB batch could make 40,000 calls.
func TestNoBatchOfMessages(t *testing.T) {
	w := unhurried(t)
	const batch = ` [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"skill"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"skill"}}]`
	w.refused(w.call("POST", "/mcp", batch, "Accept: application/json, text/event-stream"),
		http.StatusBadRequest, app.CodeInvalidJSON)
	w.refused(w.call("POST", "/mcp", "["+initialize+"]", "Accept: application/json, text/event-stream"),
		http.StatusBadRequest, app.CodeInvalidJSON)
}

// TestNoPageSpeaksMCP: DNS rebinding gives no page access.
func TestNoPageSpeaksMCP(t *testing.T) {
	w := unhurried(t)
	a := w.call("POST", "/mcp", initialize, modelHeaders("Origin: "+w.server.URL, "Sec-Fetch-Site: same-origin")...)
	w.refused(a, http.StatusForbidden, app.CodeForbidden)
}

// TestCallEndsWithItsRequest: a client that disconnects leaves no waiting call behind.
func TestCallEndsWithItsRequest(t *testing.T) {
	w := unhurried(t)
	p := w.profile()
	ctx, hangUp := context.WithCancel(t.Context())
	const wait = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_profile","arguments":{},"_meta":{"progressToken":"p"}}}`
	r, err := http.NewRequestWithContext(ctx, "POST", w.server.URL+"/mcp", strings.NewReader(wait))
	w.must(err)
	for _, h := range modelHeaders("Content-Type: application/json", bearerOf(p)) {
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
	within(t, "the call is over", func() bool { return w.web.mcp.Calls() == 0 })
}

// TestSlowMessage: a message has the time of any other body.
func TestSlowMessage(t *testing.T) {
	w := unhurried(t)
	address := serve(t, w.web, func(server *http.Server) { server.ReadTimeout = 300 * time.Millisecond })
	conn, err := net.Dial("tcp", address.String())
	w.must(err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn,
		"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 1000\r\n\r\n{")
	w.must(err)
	w.must(conn.SetReadDeadline(time.Now().Add(20 * time.Second)))
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Errorf("the server still waits: %v", err)
	}
}

func (w *world) hurried() net.Addr {
	w.t.Helper()
	return serve(w.t, w.web, func(server *http.Server) {
		server.Handler = w.server.Config.Handler
		server.ReadTimeout, server.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	})
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
	address := w.hurried()
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	dialNarrow(t, address, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAccept: "+
		"application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		len(call), call))
	within(t, "the call has begun", func() bool { return w.web.mcp.Calls() == 1 })
	within(t, "the place is free again", func() bool { return w.web.mcp.Calls() == 0 })
}

// TestHoleLargeCallsAreShort: a large call stays in memory and may not wait long.
func TestHoleLargeCallsAreShort(t *testing.T) {
	t.Parallel()
	w := unhurried(t)
	p := w.profile()
	address := serve(t, w.web, func(s *http.Server) { s.WriteTimeout = 2 * time.Second })
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_profile","arguments":{},` +
		`"_meta":{"progressToken":"p"}}}`
	call += strings.Repeat(" ", app.MaxBody-len(call))
	conn := dialNarrow(t, address, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\n%s\r\nContent-Length: %d\r\n\r\n%s",
		bearerOf(p), len(call), call))
	within(t, "a place is taken", func() bool { return w.web.cfg.Bodies.Taken() == 1 })
	_, _ = io.Copy(io.Discard, conn)
	within(t, "no place is taken", func() bool { return w.web.cfg.Bodies.Taken() == 0 })
}

func within(t *testing.T, what string, reached func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !reached(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not " + what)
		}
	}
}
