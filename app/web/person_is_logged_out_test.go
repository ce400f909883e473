package web

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

func (s *uiSite) cookie() *http.Cookie {
	s.t.Helper()
	at, err := url.Parse(s.web.URL + paths.Root)
	s.must(err)
	for _, k := range s.client.Jar.Cookies(at) {
		if k.Name == uix.SessionCookie {
			return k
		}
	}
	s.t.Fatal("nobody is logged in")
	return nil
}

// endSessions ends all sessions, as a person does after losing a cookie.
func (s *uiSite) endSessions() {
	s.t.Helper()
	_, err := s.access.AdminToken.Renew(s.t.Context(), app.Actor{Kind: app.ActorCommand, Name: "root"})
	s.must(err)
}

// slowly begins a form and returns a function that sends the rest.
func (s *uiSite) slowly(path, kind, begin, rest string) (finish func() *http.Response) {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	s.must(err)
	s.t.Cleanup(func() { _ = conn.Close() })
	k := s.cookie()
	_, err = fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: airlock.example\r\nCookie: %s=%s\r\nContent-Type: %s\r\nContent-Length: "+
			"%d\r\nExpect: "+
			"100-continue\r\n\r\n",
		path, k.Name, k.Value, kind, len(begin)+len(rest))
	s.must(err)
	lines := bufio.NewReader(conn)
	line, err := lines.ReadString('\n') // when the handler begins to read the body
	s.must(err)
	if !strings.HasPrefix(line, "HTTP/1.1 100") {
		s.t.Fatalf("the server says %s", line)
	}
	_, err = lines.ReadString('\n')
	s.must(err)
	_, err = io.WriteString(conn, begin)
	s.must(err)
	return func() *http.Response {
		_, err := io.WriteString(conn, rest)
		s.must(err)
		answer, err := http.ReadResponse(lines, nil)
		s.must(err)
		s.must(answer.Body.Close())
		return answer
	}
}

// TestASlowFormDoesNotOutliveItsSession: a thief can't finish a form after logout.
func TestASlowFormDoesNotOutliveItsSession(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	finish := s.slowly(paths.CredentialNew, "application/x-www-form-urlencoded", "name=STOLEN&mode=plain&value=",
		"long-enough-value")
	s.endSessions()
	answer := finish()
	if to := answer.Header.Get("Location"); answer.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, paths.Login) {
		t.Errorf("status %d, leads to %q", answer.StatusCode, to)
	}
	list, err := s.access.Credentials.List(t.Context())
	s.must(err)
	if len(list) != 0 {
		t.Errorf("stored %v", list)
	}
}

// TestASlowUploadDoesNotOutliveItsSession, which may take hours.
func TestASlowUploadDoesNotOutliveItsSession(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	begin := "--b\r\nContent-Disposition: form-data; name=\"passphrase\"\r\n\r\nseven geese in a " +
		"row\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx"
	finish := s.slowly(paths.SettingsImport, "multipart/form-data; boundary=b", begin, "\r\n--b--\r\n")
	s.endSessions()
	answer := finish()
	if to := answer.Header.Get("Location"); answer.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, paths.Login) {
		t.Errorf("status %d, leads to %q", answer.StatusCode, to)
	}
}

func (s *uiSite) pages() *uix.UI {
	cfg := s.server.cfg
	return uix.New(uix.Config{Access: cfg.Access, Engine: cfg.Engine, Log: cfg.Log, Now: cfg.Now})
}

// TestADownloadDoesNotOutliveItsSession when it is read slowly.
func TestADownloadDoesNotOutliveItsSession(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, paths.AuditExport+"?as=csv", nil)
	r.AddCookie(s.cookie())
	w := deadlineRecorder{httptest.NewRecorder()}
	c := echo.New().NewContext(r, w)
	n := 0
	defer func() {
		if recover() != http.ErrAbortHandler || n != 2 || strings.Count(w.Body.String(), "row") != 1 {
			t.Errorf("%d parts were read, sent %q", n, w.Body)
		}
	}()
	_ = s.pages().Require(app.RoleViewer)(func(c echo.Context) error {
		return s.pages().Download(c, "list", func() ([]uix.Record, error) {
			if n++; n == 2 {
				s.endSessions()
			}
			if n > 3 {
				return nil, nil
			}
			return []uix.Record{{"a", "row"}}, nil
		})
	})(c)
	t.Error("a part was given out as the whole")
}

// deadlineRecorder takes deadlines, as a connection does.
type deadlineRecorder struct{ *httptest.ResponseRecorder }

func (deadlineRecorder) SetWriteDeadline(time.Time) error { return nil }

func TestReadingGoesOnWhileSomebodyIsIn(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newUISite(t, func(c *Config) { c.Now = func() time.Time { return now } })
	s.login()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, paths.Root, nil)
	r.AddCookie(s.cookie())
	c := echo.New().NewContext(r, httptest.NewRecorder())
	var in io.Reader
	s.must(s.pages().Require(app.RoleViewer)(func(c echo.Context) error {
		in = s.pages().Reader(c, bytes.NewReader(bytes.Repeat([]byte("x"), 1000)))
		return nil
	})(c))
	read := func() error {
		_, err := in.Read(make([]byte, 10))
		return err
	}
	s.must(read())
	now = now.Add(uix.Heartbeat)
	s.must(read())
	s.endSessions()
	now = now.Add(uix.Heartbeat)
	if err := read(); app.CodeOf(err) != app.CodeUnauthorized {
		t.Errorf("read on: %v", err)
	}
}

// TestAForgottenTabDoesNotKeepItsSession: automatic refreshes are no use of a session.
func TestAForgottenTabDoesNotKeepItsSession(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newUISite(t)
	s.access = access.New(access.Config{Store: s.store, Hub: s.server.cfg.Hub, Now: func() time.Time { return now }})
	s.configure(func(c *Config) { c.Access = s.access })
	s.login()
	for _, c := range []struct {
		path, source string
		use          bool
	}{
		{paths.Executions, "section#executions", false}, {paths.Root, "div#overview", false},
		{paths.InboxCount, "div#counts", false}, {paths.Settings, "div", false},
		{paths.Executions, "form", true}, {paths.Search, "input#palette-q", true}, {paths.Audit, "", true},
	} {
		before := s.lastUse()
		now = now.Add(2 * time.Minute)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+c.path, nil)
		s.must(err)
		for name, value := range map[string]string{"HX-Request": "true", "HX-Request-Type": "partial",
			"HX-Source": c.source} {
			r.Header.Set(name, value)
		}
		s.do(r).want(http.StatusOK)
		if used := s.lastUse().After(before); used != c.use {
			t.Errorf("%s for %q: a use %v, want %v", c.path, c.source, used, c.use)
		}
	}
}

func (s *uiSite) lastUse() time.Time {
	s.t.Helper()
	list, err := s.access.Sessions.List(s.t.Context())
	s.must(err)
	return list[0].SeenAt
}

// TestStrangersSendSmallForms: a 4 MiB form could have a million fields.
func TestStrangersSendSmallForms(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	large := url.Values{"name": {uiName}, "password": {uiPassword}, "x": {strings.Repeat("x", 17<<10)}}
	for _, path := range []string{paths.Login, paths.Welcome} {
		s.send(path, large).want(http.StatusRequestEntityTooLarge).says("h1", "more than this form takes")
	}
	s.login()
}
