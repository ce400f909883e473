package web

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/paths"
)

func serve(t *testing.T, s *Server, change func(*http.Server)) net.Addr {
	t.Helper()
	server := s.HTTPServer()
	change(server)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(narrow{listener}) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr()
}

// narrow is a listener with small send buffers.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetWriteBuffer(1 << 10)
}

// dialNarrow opens a connection with a small receive buffer and sends text.
func dialNarrow(t *testing.T, address net.Addr, text string) net.Conn {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 1<<10)
		})
	}}
	conn, err := dialer.DialContext(t.Context(), "tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, text) // fails after a refusal
	return conn
}

// TestManyBodiesAtOnce: slow large bodies of strangers exhaust neither memory nor others' room.
// Small requests pass.
func TestManyBodiesAtOnce(t *testing.T) {
	w := unhurried(t, func(c *Config) { c.Bodies = httpx.NewBodyPlaces(100 * time.Millisecond) })
	large := strings.Repeat(" ", app.MaxBody-1)
	for range 20 {
		_ = dialNarrow(t, w.server.Listener.Addr(), fmt.Sprintf("POST /execute HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n"+
			"X-Forwarded-For: 192.0.2.1\r\n\r\n%s", app.MaxBody, large[:2*httpx.SmallBody]))
	}
	within(t, "as much is held as one address may", func() bool { return w.web.cfg.Bodies.Taken() == 8 })
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.1"), http.StatusTooManyRequests,
		app.CodeRateLimited)
	w.refused(w.call("POST", "/execute", large, "X-Forwarded-For: 192.0.2.2"), http.StatusBadRequest, app.CodeInvalidJSON)
	w.refused(w.call("POST", "/execute", large[:httpx.SmallBody], "X-Forwarded-For: 192.0.2.1"), http.StatusBadRequest,
		app.CodeInvalidJSON)
	if a := w.call("GET", "/health", ""); a.json["version"] == nil {
		t.Errorf("/health: %d %s", a.status, a.text)
	}
}

// TestManySlowReadersAtOnce hold a bounded number of places, none of other profiles. Small answers
// pass.
func TestManySlowReadersAtOnce(t *testing.T) {
	s := newUISite(t, func(c *Config) { c.Answers = httpx.NewAnswerPlaces(500*time.Millisecond, time.Hour) })
	output := strings.Repeat("print "+strings.Repeat("x", 60_000)+"\n", 4)
	p, other := s.locked(), s.locked()
	large, small := s.runs(p, output, app.StatusCompleted), s.runs(p, "print x", app.StatusCompleted)
	others := s.runs(other, output, app.StatusCompleted)
	answered := s.runs(p, output+"ask Which one?", app.StatusAwaitingLLM)
	cancelled := s.runs(p, output+"ask Which one?", app.StatusAwaitingLLM)
	address := serve(t, s.server, func(*http.Server) {})
	for range 20 {
		dialNarrow(t, address, "GET /executions/"+large.ID+" HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	taken := s.server.cfg.Answers.Taken
	within(t, "as much is held as one profile may", func() bool { return taken() == 4 })
	w := &world{t: t, server: &httptest.Server{URL: "http://" + address.String()}}
	refused := w.call("GET", "/executions/"+large.ID, "")
	if w.refused(refused, http.StatusTooManyRequests, app.CodeRateLimited); refused.header.Get("Retry-After") == "" {
		t.Error("it isn't said when to ask again")
	}
	// A request that took effect is not answered "try again".
	script, err := json.Marshal(output)
	s.must(err)
	for path, body := range map[string]string{
		"/execute?wait=50": `{"profile_id":"` + p.ID + `","script":` + string(script) + `}`,
		"/executions/" + answered.ID + "/respond?wait=50": `{"response":"this"}`,
		"/executions/" + cancelled.ID + "/cancel":         "",
	} {
		a := w.call("POST", path, body)
		status, _ := a.json["status"].(string)
		if a.status != http.StatusAccepted || a.json["poll_url"] == nil || !app.Status(status).Terminal() {
			t.Errorf("%s: %d %.300s", path, a.status, a.text)
		}
	}
	if a := w.call("GET", "/executions/"+others.ID, ""); a.status != http.StatusOK || len(a.text) < 240_000 {
		t.Errorf("another profile: %d %.300s", a.status, a.text)
	}
	if a := w.call("GET", "/executions/"+small.ID, ""); a.status != http.StatusOK {
		t.Errorf("a small answer: %d %s", a.status, a.text)
	}
}

// TestSlowModelsHoldRoom: an answer inside an MCP answer counts until that is read.
func TestSlowModelsHoldRoom(t *testing.T) {
	s := newUISite(t)
	p := s.locked()
	large := s.runs(p, strings.Repeat("print "+strings.Repeat("x", 60_000)+"\n", 4), app.StatusCompleted)
	address := serve(t, s.server, func(*http.Server) {})
	w := &world{t: t, server: &httptest.Server{URL: "http://" + address.String()}}
	session := w.open(bearerOf(p))
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_execution","arguments":{"execution_id":"` +
		large.ID + `"}}}`
	conn := dialNarrow(t, address, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMcp-Session-Id: %s\r\n%s\r\nContent-Length: %d\r\n\r\n%s",
		session, bearerOf(p), len(call), call))
	var seen strings.Builder
	for !strings.Contains(seen.String(), strings.Repeat("x", 1000)) {
		if _, err := io.CopyN(&seen, conn, 100); err != nil {
			t.Fatalf("%v after %.500s", err, seen.String())
		}
	}
	if n := s.server.cfg.Answers.Taken(); n != 1 {
		t.Errorf("%d places are taken", n)
	}
	conn.Close()
	within(t, "no place is taken", func() bool { return s.server.cfg.Answers.Taken() == 0 })
}

// TestABodyThatBreaksOffIsTheClientsFault on each path with a body other than JSON.
func TestABodyThatBreaksOffIsTheClientsFault(t *testing.T) {
	w := newWorld(t)
	p := w.lockedProfile()
	for _, path := range []string{"/files?name=a.csv", "/skills"} {
		conn := dialNarrow(t, w.server.Listener.Addr(), fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\n"+
			"Authorization: Bearer %s\r\nContent-Type: application/zip\r\nContent-Length: 1000\r\n\r\nhalf of it", path, p.ID))
		w.must(conn.(*net.TCPConn).CloseWrite())
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		w.must(err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		w.must(err)
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "could not be read to its end") {
			t.Errorf("%s: %d %s", path, answer.StatusCode, text)
		}
	}
}

// TestLongBodiesGetTheirErrors: an early error reaches a client that is still sending. Closing with
// unread bytes would reset the connection.
func TestLongBodiesGetTheirErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	defer all.Wait()
	for path, want := range map[string]int{
		"/nobody/has/this": http.StatusNotFound, "/executions/none/cancel": http.StatusNotFound,
		"/health": http.StatusMethodNotAllowed, "/ui/nothing": http.StatusSeeOther,
	} {
		conn := dialNarrow(t, w.server.Listener.Addr(), "POST "+path+" HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
		all.Go(func() {
			for range 20 {
				time.Sleep(40 * time.Millisecond) // longer in all than a server waits before a reset
				if _, err := conn.Write([]byte(strings.Repeat("x", 100_000))); err != nil {
					t.Errorf("%s: the body was not taken: %v", path, err)
					return
				}
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			defer answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s: %s, want %d", path, answer.Status, want)
			}
		})
	}
}

// TestHoleSlowReadersHoldNoPlace: slow readers of skills keep nobody out, and are dropped.
func TestHoleSlowReadersHoldNoPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, large := w.lockedProfile(), make([]byte, 1<<19)
	_, _ = rand.Read(large)
	a := w.call("POST", "/skills", zipped(t, map[string]string{"SKILL.md": totals, "main.py": "", "large.bin": string(large)}),
		bearerOf(p), "Content-Type: application/zip")
	if a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.text)
	}
	const far = 4 * time.Second // more than it takes
	address := serve(t, w.web, func(s *http.Server) { s.ReadTimeout, s.WriteTimeout = far, far })
	taken := make(chan int, 2)
	for range cap(taken) {
		conn := dialNarrow(t, address, "GET /skills/totals/bundle.zip HTTP/1.1\r\nHost: a\r\n"+bearerOf(p)+"\r\n\r\n")
		_, err := conn.Read(make([]byte, 1)) // it is being answered
		w.must(err)
		go func() {
			total := 0
			for piece := make([]byte, 4<<10); err == nil; time.Sleep(400 * time.Millisecond) {
				var n int
				n, err = conn.Read(piece)
				total += n
			}
			taken <- total
		}()
	}
	if got := w.call("GET", "/skills/totals/bundle.zip", "", bearerOf(p)).status; got != http.StatusOK {
		t.Errorf("the same profile, meanwhile: %d", got)
	}
	for range cap(taken) {
		if n := <-taken; n >= len(large) {
			t.Errorf("a slow reader took all %d bytes", n)
		}
	}
}

// TestHoleAStalledBodyIsAnswered with an error, although the failed read ends the request's
// context.
func TestHoleAStalledBodyIsAnswered(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	address := serve(t, s.server, func(server *http.Server) {
		toAnswer := server.WriteTimeout - server.ReadTimeout
		server.ReadTimeout, server.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond+toAnswer
	})
	const plain, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	file := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\nPK"
	for _, c := range []struct{ path, kind, begin, want string }{
		{paths.Login, plain, "name=Ada", "The form can&#39;t be read."},
		{paths.CredentialNew, plain, "name=A", "The form can&#39;t be read."},
		{paths.Skills, parts, file, "The request ended too early."},
		{"/profiles", "application/json", `{"description":`, "the body could not be read to its end"},
		{"/mcp", "application/json", `{"jsonrpc":`, "the body could not be read to its end"},
	} {
		k := s.cookie()
		conn := dialNarrow(t, address, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nCookie: %s=%s\r\nContent-Type: %s\r\n"+
			"Content-Length: 1000\r\n\r\n%s", c.path, k.Name, k.Value, c.kind, c.begin))
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		text, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode < 400 ||
			!strings.Contains(string(text), c.want) {
			t.Errorf("%s: %d %s, %v", c.path, answer.StatusCode, text, err)
		}
	}
}
