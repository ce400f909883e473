package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

// readers is a site with an execution whose answer is large, and room for the answers of five like
// it.
type readers struct {
	*uiSite
	url     string
	profile app.Profile
	large   app.Execution
	small   app.Execution
	size    int64
}

func newReaders(t *testing.T, wait, minHold time.Duration) *readers {
	t.Helper()
	r := &readers{uiSite: newUISite(t, func(c *Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		c.Answers = httpx.NewAnswerLimiter(wait)
	})}
	r.profile = r.locked()
	r.large = r.runs(r.profile, strings.Repeat("print "+strings.Repeat("x", 60_000)+"\n", 4), app.StatusCompleted)
	r.small = r.runs(r.profile, "print x", app.StatusCompleted)
	server := r.server.HTTPServer()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	r.must(err)
	r.url = "http://" + listener.Addr().String()
	go func() { _ = server.Serve(narrow{listener}) }()
	t.Cleanup(func() { _ = server.Close() })
	whole := r.ask("192.0.2.9", r.large.ID)
	if r.size = int64(len(whole.text)); whole.status != http.StatusOK || r.size < 240_000 {
		t.Fatalf("%d, %d bytes", whole.status, r.size)
	}
	r.server.cfg.Answers.Resize(5*r.size, minHold)
	return r
}

// ask reads an execution from an address that a proxy names, to the end.
func (r *readers) ask(from, id string) answer {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), "GET", r.url+"/executions/"+id, nil)
	r.must(err)
	request.Header.Set("X-Forwarded-For", from)
	response, err := http.DefaultClient.Do(request)
	r.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	r.must(err)
	return answer{status: response.StatusCode, header: response.Header, text: string(text)}
}

// slow sends a request and takes little of the answer.
func (r *readers) slow(request string) net.Conn {
	r.t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF,
				1<<10)
		})
	}}
	conn, err := dialer.DialContext(r.t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
	r.must(err)
	r.t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, request)
	r.must(err)
	return conn
}

func (r *readers) slowFrom(from string) net.Conn {
	return r.slow("GET /executions/" + r.large.ID + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + from + "\r\n\r\n")
}

// TestManySlowReadersAtOnce: those who ask for large answers and don't take them hold so much
// memory together and no more, and no room of other addresses. Small answers always pass.
func TestManySlowReadersAtOnce(t *testing.T) {
	r := newReaders(t, 500*time.Millisecond, time.Hour)
	asks := strings.Repeat("print "+strings.Repeat("x", 60_000)+"\n", 4) + "ask Which one?"
	answered, cancelled := r.runs(r.profile, asks, app.StatusAwaitingLLM), r.runs(r.profile, asks,
		app.StatusAwaitingLLM)
	for range 20 {
		r.slowFrom("192.0.2.1")
	}
	within(t, "as much is held as one address may", func() bool { return r.server.cfg.Answers.Used() == 3*r.size })
	refused := r.ask("192.0.2.1", r.large.ID)
	if refused.status != http.StatusTooManyRequests || refused.header.Get("Retry-After") == "" ||
		!strings.Contains(refused.text, string(app.CodeRateLimited)) {
		t.Errorf("%d %.300s", refused.status, refused.text)
	}
	// What took effect is told so: who is told to try again would do it twice.
	output := strings.Repeat("print "+strings.Repeat("x", 60_000)+`\n`, 4)
	for path, body := range map[string]string{
		"/execute?wait=50": `{"profile_id":"` + r.profile.ID + `","script":"` + output + `"}`,
		"/executions/" + answered.ID + "/respond?wait=50": `{"response":"this"}`,
		"/executions/" + cancelled.ID + "/cancel":         "",
	} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", r.url+path, strings.NewReader(body))
		r.must(err)
		request.Header.Set("X-Forwarded-For", "192.0.2.1")
		done, err := http.DefaultClient.Do(request)
		r.must(err)
		var said struct {
			PollURL string     `json:"poll_url"`
			Status  app.Status `json:"status"`
		}
		if err := errors.Join(json.NewDecoder(done.Body).Decode(&said), done.Body.Close()); err != nil ||
			done.StatusCode != http.StatusAccepted || !said.Status.Terminal() || said.PollURL == "" {
			t.Errorf("%s: %s %+v, %v", path, done.Status, said, err)
		}
	}
	for range 3 {
		if a := r.ask("192.0.2.2", r.large.ID); a.status != http.StatusOK || int64(len(a.text)) != r.size {
			t.Errorf("another address: %d %.300s", a.status, a.text)
		}
		if a := r.ask("192.0.2.1", r.small.ID); a.status != http.StatusOK {
			t.Errorf("a small answer: %d %s", a.status, a.text)
		}
	}
	for range 20 {
		r.slowFrom("192.0.2.3")
		r.slowFrom("192.0.2.4")
	}
	within(t, "others hold what is left", func() bool { return r.server.cfg.Answers.Used() >= 5*r.size })
	if n := r.server.cfg.Answers.Used(); n > 6*r.size {
		t.Errorf("%d bytes are held", n)
	}
}

// TestSlowReadersGiveWay: who has long not taken an answer loses it when others wait for its room.
func TestSlowReadersGiveWay(t *testing.T) {
	r := newReaders(t, time.Minute, 0)
	var all []net.Conn
	for range 3 {
		all = append(all, r.slowFrom("192.0.2.1"))
	}
	within(t, "as much is held as one address may", func() bool { return r.server.cfg.Answers.Used() == 3*r.size })
	for range 2 {
		if a := r.ask("192.0.2.1", r.large.ID); a.status != http.StatusOK || int64(len(a.text)) != r.size {
			t.Errorf("%d %.300s", a.status, a.text)
		}
	}
	cut := 0
	for _, conn := range all {
		r.must(conn.SetReadDeadline(time.Now().Add(time.Minute)))
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		r.must(err)
		defer response.Body.Close()
		if text, err := io.ReadAll(response.Body); err != nil || int64(len(text)) != r.size {
			cut++
		}
	}
	if cut != 1 {
		t.Errorf("%d readers lost their answer", cut)
	}
	within(t, "nothing is held", func() bool { return r.server.cfg.Answers.Used() == 0 })
}

// TestSlowModelsHoldRoom: an answer that goes to a model inside another one counts until that is
// taken.
func TestSlowModelsHoldRoom(t *testing.T) {
	r := newReaders(t, time.Minute, time.Hour)
	w := &world{t: t, server: &httptest.Server{URL: r.url}}
	session := w.open(bearerOf(r.profile))
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_execution","arguments":{"execution_id":"` + r.large.ID + `"}}}`
	conn := r.slow(fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAccept: "+
		"application/json, text/event-stream\r\nMcp-Session-Id: %s\r\n%s\r\nContent-Length: %d\r\n\r\n%s", session,
		bearerOf(r.profile), len(call), call))
	r.must(conn.SetReadDeadline(time.Now().Add(time.Minute)))
	var seen strings.Builder
	for !strings.Contains(seen.String(), strings.Repeat("x", 1000)) {
		if _, err := io.CopyN(&seen, conn, 100); err != nil {
			t.Fatalf("%v after %.500s", err, seen.String())
		}
	}
	if n := r.server.cfg.Answers.Used(); n < r.size {
		t.Errorf("%d bytes are held", n)
	}
	conn.Close()
	within(t, "nothing is held", func() bool { return r.server.cfg.Answers.Used() == 0 })
}

// TestReaderWhoStillOwesABodyGivesWay: the rest of a request's body is read before its answer is
// written, and who never sends it can't keep the answer's place by that.
func TestReaderWhoStillOwesABodyGivesWay(t *testing.T) {
	r := newReaders(t, time.Minute, 0)
	for range 3 {
		r.slow("GET /executions/" + r.large.ID +
			" HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
	}
	within(t, "as much is held as one address may", func() bool { return r.server.cfg.Answers.Used() == 3*r.size })
	if a := r.ask("192.0.2.1", r.large.ID); a.status != http.StatusOK || int64(len(a.text)) != r.size {
		t.Errorf("%d %.300s", a.status, a.text)
	}
}
