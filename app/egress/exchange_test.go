package egress

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/egress/swap"
)

// Ambiguous and misdirected requests never reach the host. The box is told why, and the connection
// ends.
func TestMalformedRequestsAreNotForwarded(t *testing.T) {
	const host = "Host: api.test\r\n"
	smuggled := "GET /smuggled HTTP/1.1\r\n" + host + "\r\n"
	for _, c := range []struct {
		name, send string
		status     int
		rule       string
	}{
		{"CL and TE", "POST / HTTP/1.1\r\n" + host + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
			smuggled, 400, rules.Malformed},
		{"TE and CL", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n8\r\n" +
			smuggled, 400, rules.Malformed},
		{"two lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 0\r\nContent-Length: 40\r\n\r\n" + smuggled, 400,
			rules.Malformed},
		{"obfuscated TE", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n" + smuggled, 400,
			rules.Malformed},
		{"TE with a space", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled, 400,
			rules.Malformed},
		{"TE folded", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + smuggled, 400,
			rules.Malformed},
		{"bare LF", "GET / HTTP/1.1\r\n" + host + "X: a\n\n" + smuggled, 400, rules.Malformed},
		{"bare CR", "GET / HTTP/1.1\r\n" + host + "X: a\rY: b\r\n\r\n", 400, rules.Malformed},
		{"two Hosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n", 400, rules.Malformed},
		{"no Host", "GET / HTTP/1.1\r\nX: y\r\n\r\n", 400, rules.Malformed},
		{"an empty line first", "\r\n" + smuggled, 400, rules.Malformed},
		{"a bad escape", "GET /%zz HTTP/1.1\r\n" + host + "\r\n", 400, rules.Malformed},
		{"another tenant", "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", 421, rules.Host},
		{"another port", "GET / HTTP/1.1\r\nHost: api.test:8080\r\n\r\n", 421, rules.Host},
		{"absolute form", "GET http://169.254.169.254/latest HTTP/1.1\r\n" + host + "\r\n", 421, rules.Absolute},
		{"CONNECT", "CONNECT evil.test:443 HTTP/1.1\r\n" + host + "\r\n", 405, rules.Method},
		{"TRACE", "TRACE / HTTP/1.1\r\n" + host + "\r\n", 405, rules.Method},
		{"WebSocket", "GET / HTTP/1.1\r\n" + host +
			"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n", 501, rules.Upgrade},
		{"h2c and more", "GET / HTTP/1.1\r\n" + host +
			"Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n\r\n", 501, rules.Upgrade},
		{"h2c, then more", "GET / HTTP/1.1\r\n" + host +
			"Connection: Upgrade\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n\r\n", 501, rules.Upgrade},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, rules.HTTP2},
		{"expectation", "GET / HTTP/1.1\r\n" + host + "Expect: gold\r\n\r\n", 417, rules.Expect},
		{"huge header", "GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("y", 1<<20) + "\r\n\r\n", 431, rules.TooLarge},
		{"many headers", "GET / HTTP/1.1\r\n" + host + strings.Repeat("X: y\r\n", 300) + "\r\n", 431, rules.TooLarge},
		{"SSH", "SSH-2.0-OpenSSH_9.2\r\n\r\n", 400, rules.Malformed},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", 400, rules.Malformed},
		{"cut short", "GET / HTTP/1.1\r\nHos", 400, rules.Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			site := l.web("api.test", 80, nil, reflect)
			s := l.session(Limits{}, []string{"api.test"})
			conn := dial(t, s, "api.test", 80)
			defer conn.Close()
			if _, err := io.WriteString(conn, c.send); err != nil {
				t.Fatal(err)
			}
			if c.name == "cut short" {
				_ = conn.CloseWrite()
			}
			all, err := io.ReadAll(conn) // ends: the connection is closed
			if err != nil {
				t.Fatal(err)
			}
			resp := answers(t, strings.NewReader(string(all)), 1)[0]
			body := text(resp)
			var told struct {
				Error struct{ Code, Message, Hint string }
			}
			if err := json.Unmarshal([]byte(body), &told); err != nil || told.Error.Message == "" || told.Error.Hint == "" {
				t.Errorf("body %q: %v", body, err)
			}
			if resp.StatusCode != c.status || resp.Header.Get("X-Airlock") != c.rule || !resp.Close {
				t.Errorf("%d %v", resp.StatusCode, resp.Header)
			}
			if strings.Count(string(all), "X-Airlock: ") != 1 {
				t.Errorf("more than one answer: %q", all)
			}
			if site.requests.Load() != 0 {
				t.Error("it was forwarded")
			}
			if row := lastRow(t, s); row.Rule != c.rule || row.Status != c.status || row.Verdict != app.VerdictDenied ||
				row.Host != "api.test" {
				t.Errorf("row %+v", row)
			}
		})
	}
}

// A trickling head ends in time; a late one does not matter on a used connection.
func TestSlowHead(t *testing.T) {
	l := newLab(t)
	site := l.web("api.test", 80, nil, reflect)
	s := l.session(Limits{Head: 150 * time.Millisecond}, []string{"api.test"})
	conn := dial(t, s, "api.test", 80)
	defer conn.Close()
	stop := make(chan struct{})
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: api.test\r\n")
		for {
			select {
			case <-tick.C:
				if _, err := io.WriteString(conn, "X: y\r\n"); err != nil {
					return
				}
			case <-stop:
				return
			}
		}
	}()
	defer close(stop)
	started := time.Now()
	resp := answers(t, conn, 1)[0]
	if took := time.Since(started); resp.StatusCode != http.StatusRequestTimeout || took > time.Minute ||
		site.requests.Load() != 0 {
		t.Errorf("%d after %s", resp.StatusCode, took)
	}
	if row := lastRow(t, s); row.Rule != rules.Slow {
		t.Errorf("%+v", row)
	}

	const head = 500 * time.Millisecond
	s = l.session(Limits{Head: head}, []string{"api.test"})
	rested := dial(t, s, "api.test", 80)
	defer rested.Close()
	for range 2 {
		if _, err := io.WriteString(rested, "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if resp := answers(t, rested, 1)[0]; resp.StatusCode != 200 {
			t.Fatalf("%d", resp.StatusCode)
		}
		time.Sleep((firstHeads + 1) * head) // longer than any limit on heads
	}
}

// A client that waits for the host to speak first is ended, with TLS due or not.
func TestServerFirstEndsInTime(t *testing.T) {
	for _, port := range []int{80, 443} {
		for _, sealed := range [][]string{nil, {"api.test"}} {
			l := newLab(t)
			l.listen("api.test", port,
				func(c net.Conn) { _, _ = io.WriteString(c, "220 mail ESMTP\r\n"); _, _ = io.Copy(io.Discard, c) })
			s := l.session(Limits{Head: 50 * time.Millisecond}, []string{"api.test"}, sealed...)
			conn := dial(t, s, "api.test", port)
			got, err := io.ReadAll(conn)
			if err != nil || strings.Contains(string(got), "220") {
				t.Errorf("port %d, sealed %v: %q, %v", port, sealed, got, err)
			}
			conn.Close()
			waitFor(t, "a refusal in the ledger", func() bool {
				rows := s.Ledger()
				return len(rows) == 1 && rows[0].Verdict == app.VerdictDenied
			})
			delete(l.names, "api.test")
		}
	}
}

const hostLine = "Host: api.test\r\n"

func plain(t testing.TB, limits Limits, handler http.HandlerFunc) (*site, *Session, Conn) {
	t.Helper()
	l := newLab(t)
	site := l.web("api.test", 80, nil, handler)
	s := l.session(limits, []string{"api.test"}, "api.test")
	conn := dial(t, s, "api.test", 80)
	t.Cleanup(func() { conn.Close() })
	return site, s, conn
}

func send(t testing.TB, c io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func TestPipelining(t *testing.T) {
	_, s, conn := plain(t, Limits{}, reflect)
	var all strings.Builder
	for i := range 20 {
		fmt.Fprintf(&all, "POST /%d HTTP/1.1\r\n%sContent-Length: 5\r\n\r\nbody%d", i, hostLine, i%10)
	}
	go func() { _, _ = io.WriteString(conn, all.String()) }()
	for i, resp := range answers(t, conn, 20) {
		if want := fmt.Sprintf("POST /%d \nbody%d", i, i%10); text(resp) != want {
			t.Fatalf("answer %d is not %q", i, want)
		}
	}
	if rows := s.Ledger(); len(rows) != 20 {
		t.Errorf("%d rows", len(rows))
	}
}

// A box that has said all it wants to say still gets its answer.
func TestHalfClosed(t *testing.T) {
	_, _, conn := plain(t, Limits{}, reflect)
	send(t, conn, "POST / HTTP/1.1\r\n"+hostLine+"Content-Length: 3\r\n\r\nabc")
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil || !strings.HasSuffix(string(all), "0\r\n\r\n") || !strings.Contains(string(all), "abc") {
		t.Errorf("%q, %v", all, err)
	}
}

// An upload that breaks off is not completed on the other side.
func TestUploadCutShort(t *testing.T) {
	for _, framing := range []string{"Content-Length: 1000000\r\n\r\nabc",
		"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"} {
		ended := make(chan error, 1)
		_, s, conn := plain(t, Limits{}, func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			ended <- err
		})
		send(t, conn, "POST / HTTP/1.1\r\n"+hostLine+"Content-Type: application/octet-stream\r\n"+framing)
		waitFor(t, "the request is read", func() bool { return len(s.Ledger()) == 1 })
		conn.Close()
		waitFor(t, "the request fails", func() bool { return lastRow(t, s).Verdict == app.VerdictFailed })
		s.Close()
		select { // it may never have been sent
		case err := <-ended:
			if err == nil {
				t.Error("the host took it for complete")
			}
		default:
		}
	}
}

func TestExpectContinue(t *testing.T) {
	_, _, conn := plain(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		reflect(w, r)
	})
	reader := bufio.NewReader(conn)
	send(t, conn, "PUT /yes HTTP/1.1\r\n"+hostLine+"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
	first, err := http.ReadResponse(reader, nil)
	if err != nil || first.StatusCode != 100 {
		t.Fatalf("%v, %v", first, err)
	}
	send(t, conn, "abc")
	second := answers(t, reader, 1)[0]
	if body := text(second); second.StatusCode != 200 || body != "PUT /yes \nabc" {
		t.Fatalf("%d %q", second.StatusCode, body)
	}
	send(t, conn, "PUT /no HTTP/1.1\r\n"+hostLine+"Expect: 100-continue\r\nContent-Type: "+
		"application/octet-stream\r\nContent-Length: 3\r\n\r\n")
	for {
		resp, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == 100 { // the swapper may have asked for the body to look at it
			send(t, conn, "abc")
			continue
		}
		if resp.StatusCode != http.StatusUnauthorized {
			t.Fatalf("%d", resp.StatusCode)
		}
		return
	}
}

func TestAnswersWithoutBody(t *testing.T) {
	_, _, conn := plain(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/204":
			w.WriteHeader(204)
		case "/304":
			w.Header().Set("ETag", `"x"`)
			w.WriteHeader(304)
		default:
			w.Header().Set("Content-Length", "1000")
		}
	})
	reader := bufio.NewReader(conn)
	for _, c := range []struct {
		method, path string
		status       int
	}{{"HEAD", "/", 200}, {"GET", "/204", 204}, {"GET", "/304", 304}, {"HEAD", "/", 200}} {
		send(t, conn, c.method+" "+c.path+" HTTP/1.1\r\n"+hostLine+"\r\n")
		r, _ := http.NewRequestWithContext(t.Context(), c.method, "/", nil)
		resp, err := http.ReadResponse(reader, r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != c.status || len(body) != 0 || err != nil || resp.Close {
			t.Errorf("%s %s: %d %q %v", c.method, c.path, resp.StatusCode, body, err)
		}
	}
}

func TestTrailers(t *testing.T) {
	_, _, conn := plain(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "hello")
		w.Header().Set("X-Sum", r.Header.Get("X-Key"))
	})
	send(t, conn, "GET / HTTP/1.1\r\n"+hostLine+"X-Key: "+testPlaceholder+"\r\nTE: trailers\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "hello" || resp.Trailer.Get("X-Sum") != testPlaceholder {
		t.Errorf("%q %v %v", body, resp.Trailer, err)
	}
}

func TestOldHTTP(t *testing.T) {
	_, _, conn := plain(t, Limits{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "one")
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "two")
	})
	send(t, conn, "GET / HTTP/1.0\r\n"+hostLine+"Connection: keep-alive\r\n\r\n")
	all, err := io.ReadAll(conn)
	if err != nil || !strings.HasSuffix(string(all), "\r\n\r\nonetwo") || strings.Contains(string(all), "chunked") {
		t.Errorf("%q, %v", all, err)
	}
}

// Connection-specific fields don't pass either way; nothing names Go, and sealed hosts get no
// Range.
func TestFieldsThatDontPass(t *testing.T) {
	var seen http.Header
	_, _, conn := plain(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		w.Header().Set("Connection", "X-Hop")
		for _, name := range []string{"X-Hop", "Keep-Alive", "X-Airlock", "Alt-Svc", "X-Stays"} {
			w.Header().Set(name, "x")
		}
	})
	send(t, conn, "GET / HTTP/1.1\r\n"+hostLine+"Connection: X-Private\r\nX-Private: x\r\nKeep-Alive: "+
		"5\r\nProxy-Authorization: x\r\nProxy-Connection: x\r\nTE: trailers\r\n"+
		"Range: bytes=0-9\r\nIf-Range: x\r\nAccept-Encoding: gzip, br\r\nX-Stays: x\r\n\r\n")
	resp := answers(t, conn, 1)[0]
	if len(seen) != 2 || seen.Get("X-Stays") != "x" || seen.Get("Accept-Encoding") != "identity" {
		t.Errorf("the host saw %v", seen)
	}
	for _, name := range []string{"X-Hop", "Keep-Alive", "X-Airlock", "Alt-Svc"} {
		if resp.Header.Get(name) != "" {
			t.Errorf("%s passes", name)
		}
	}
	if resp.Header.Get("X-Stays") != "x" {
		t.Errorf("%v", resp.Header)
	}
}

// An answer before the request is complete reaches the box. Then the connection ends: the rest is a
// body.
func TestEarlyAnswer(t *testing.T) {
	l := newLab(t)
	l.listen("api.test", 80, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
			_, _ = io.Copy(io.Discard, c)
		}
	})
	s := l.session(Limits{}, []string{"api.test"})
	conn := dial(t, s, "api.test", 80)
	defer conn.Close()
	go func() {
		_, _ = io.WriteString(conn,
			"POST / HTTP/1.1\r\n"+hostLine+"Content-Type: application/octet-stream\r\nContent-Length: 100000000\r\n\r\n")
		chunk := make([]byte, 10000)
		for range 10000 {
			if _, err := conn.Write(chunk); err != nil {
				return
			}
		}
	}()
	all, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 413") || !strings.HasSuffix(string(all), "no") ||
		!strings.Contains(string(all), "Connection: close") {
		t.Errorf("%q, %v", all, err)
	}
}

// A host that closes a resting connection costs the box nothing.
func TestHostClosesBetweenRequests(t *testing.T) {
	l := newLab(t)
	site := l.listen("api.test", 80, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	s := l.session(Limits{}, []string{"api.test"})
	conn := dial(t, s, "api.test", 80)
	defer conn.Close()
	for i := range 5 {
		send(t, conn, "GET / HTTP/1.1\r\n"+hostLine+"\r\n")
		if resp := answers(t, conn, 1)[0]; resp.StatusCode != 200 {
			t.Fatalf("request %d: %d", i, resp.StatusCode)
		}
		waitFor(t, "the host has closed", func() bool { return site.live.Load() == 0 })
	}
	if n := site.connections.Load(); n < 5 {
		t.Errorf("%d connections", n)
	}
}

// An answer that breaks off does not look complete to the box, however it is framed.
func TestAnswerCutShort(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
	} {
		l := newLab(t)
		l.listen("api.test", 80, func(c net.Conn) {
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.WriteString(c, answer)
			}
		})
		s := l.session(Limits{}, []string{"api.test"})
		conn := dial(t, s, "api.test", 80)
		send(t, conn, "GET / HTTP/1.1\r\n"+hostLine+"\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
		}
		if err == nil {
			t.Errorf("%q looks complete", answer)
		}
		conn.Close()
		waitFor(t, "a row", func() bool { return lastRow(t, s).Rule == rules.HostBroke })
	}
}

// A forbidden body is refused in the middle; the host never gets a whole request.
func TestPlaceholderInABodyForAnotherHost(t *testing.T) {
	l := newLab(t)
	var whole atomic.Int64
	l.web("other.test", 80, nil, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			whole.Add(1)
		}
		if strings.Contains(string(body), testPlaceholder[:20]) {
			t.Error("a part of the placeholder was sent")
		}
	})
	s := l.session(Limits{}, []string{"other.test"}, "api.test")
	for _, size := range []int{100, 3 << 20} {
		body := strings.Repeat("x", size) + testPlaceholder + strings.Repeat("y", 100)
		r, _ := http.NewRequestWithContext(t.Context(), "POST", "http://other.test/", strings.NewReader(body))
		r.Header.Set("Content-Type", "text/plain")
		resp, told := l.do(l.client(s), r)
		if resp.StatusCode != 403 || resp.Header.Get("X-Airlock") != swap.RuleHost || !strings.Contains(told, "API_KEY") {
			t.Errorf("%d bytes: %d %v %s", size, resp.StatusCode, resp.Header, told)
		}
		if row := lastRow(t, s); row.Rule != swap.RuleHost || row.Verdict != app.VerdictDenied || row.Status != 403 {
			t.Errorf("%+v", row)
		}
	}
	if whole.Load() != 0 {
		t.Errorf("%d requests were completed", whole.Load())
	}
}

// Redirects are the box's to follow, and judged again when it does.
func TestRedirectsAreNotFollowed(t *testing.T) {
	l := newLab(t)
	site := l.web("api.test", 80, nil, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	meta := l.listen("metadata.test", 80, func(net.Conn) {})
	l.names["metadata.test"] = "169.254.169.254"
	s := l.session(Limits{}, []string{"api.test", "metadata.test"})
	client := l.client(s)
	r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://api.test/", nil)
	if resp, _ := l.do(client, r); resp.StatusCode != http.StatusFound {
		t.Fatal(resp.StatusCode)
	}
	client.CheckRedirect = nil
	if resp, err := client.Get("http://api.test/"); err == nil {
		resp.Body.Close()
		t.Errorf("the redirect was followed to %d", resp.StatusCode)
	}
	if row := lastRow(t, s); row.Host != "169.254.169.254" || row.Rule != rules.NotListed || meta.connections.Load() != 0 ||
		site.requests.Load() == 0 {
		t.Errorf("%+v", row)
	}
}
