package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// TestRequireFresh: what gives much away asks for the password once it was typed more than five
// minutes ago, and leads back to where it was asked for.
func TestRequireFresh(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	s := newUISite(t, func(c *Config) { c.Now = now })
	done := 0
	at, err := url.Parse(s.web.URL + paths.Root)
	s.must(err)
	e := echo.New()
	e.HTTPErrorHandler = s.server.fail
	u := s.pages()
	guarded := u.RequireFresh(func(c echo.Context) error { done++; return c.NoContent(http.StatusOK) })
	e.GET("/ui/settings", guarded, u.Require(app.RoleViewer))
	e.POST("/ui/settings", guarded, u.Require(app.RoleViewer))
	s.login()
	ask := func(method string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://airlock.test/ui/settings?x=1", nil)
		for _, c := range s.client.Jar.Cookies(at) {
			r.AddCookie(c)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		return w
	}
	if w := ask(http.MethodPost); w.Code != http.StatusOK || done != 1 {
		t.Fatalf("fresh: %d", w.Code)
	}
	late.Store(int64(5 * time.Minute))
	if w := ask(http.MethodGet); w.Header().Get("Location") != paths.ConfirmURL("/ui/settings?x=1") {
		t.Errorf("a page leads to %q", w.Header().Get("Location"))
	}
	w := ask(http.MethodPost, "Referer", "http://airlock.test/ui/credentials?a=b")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != paths.ConfirmURL("/ui/credentials?a=b") ||
		!strings.Contains(w.Header().Get("Set-Cookie"), "again") {
		t.Errorf("a form leads to %q with %q", w.Header().Get("Location"), w.Header().Get("Set-Cookie"))
	}
	if w := ask(http.MethodPost, "Referer",
		"https://evil.example/x"); w.Header().Get("Location") != paths.ConfirmURL(paths.Root) {
		t.Errorf("another site leads to %q", w.Header().Get("Location"))
	}
	w = ask(http.MethodPost, "HX-Request", "true", "HX-Request-Type", "partial", "HX-Current-URL",
		"http://airlock.test/ui/audit")
	if w.Code != http.StatusForbidden || w.Header().Get("HX-Redirect") != paths.ConfirmURL(paths.Audit) {
		t.Errorf("htmx: %d %q", w.Code, w.Header().Get("HX-Redirect"))
	}
	if done != 1 {
		t.Fatal("it was done without a password")
	}
	page := s.get(paths.ConfirmURL(paths.Audit)).want(http.StatusOK).says("h1", "Confirm your password").says("label",
		uiName)
	s.submit(page, "main form", "", "password", "wrong").want(http.StatusUnprocessableEntity).says(".field-error",
		"That is not your password.")
	s.submit(page, "main form", "", "password", uiPassword).leads(paths.Audit)
	late.Store(0) // the desk's clock did not move
	if w := ask(http.MethodPost); w.Code != http.StatusOK || done != 2 {
		t.Errorf("after the password: %d", w.Code)
	}
	for range 10 {
		if s.submit(page, "main form", "", "password", "wrong").status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("nobody stops guessing")
}
