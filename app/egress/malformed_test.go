package egress

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// Requests that two parsers could understand differently, or that are meant for somebody else:
// nothing of them reaches the host, the box is told why, and the connection ends.
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

// A head that trickles in ends within its time; one that is only late to begin does not matter on a
// connection that has been used.
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

// A client that waits for the host to speak first gets an end, with TLS due or not.
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
