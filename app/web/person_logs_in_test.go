package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

func TestUIErrors(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.get(paths.Root + "/nowhere").leads(paths.LoginURL(paths.Root + "/nowhere"))
	s.login()
	s.get(paths.Root+"/nowhere").want(http.StatusNotFound).says("h1", "There is nothing at this address").says("nav",
		"Profiles")
	s.get(paths.CredentialURL("NONE")).want(http.StatusNotFound)
	s.get(paths.ProfileURL("none")).want(http.StatusNotFound)

	foreign, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+paths.CredentialNew,
		strings.NewReader("name=X&value=long-enough"))
	s.must(err)
	foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	s.do(foreign).want(http.StatusForbidden).says("h1", "page of another site")
	foreign, err = http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+paths.Login,
		strings.NewReader("token="+uiToken))
	s.must(err)
	foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	foreign.Header.Set("Origin", "http://evil.example")
	s.do(foreign).want(http.StatusForbidden)

	s.must(s.store.Close())
	s.get(paths.Profiles).want(http.StatusInternalServerError).says("h1", "Something went wrong inside Airlock")
	if text := s.get(paths.Profiles).text; strings.Contains(text, "sql") {
		t.Errorf("the cause is shown: %s", text)
	}
}

func TestUISessions(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	a := s.post(paths.Login, "name", uiName, "password", uiPassword, "next", paths.Audit).leads(paths.Audit)
	cookie := a.header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Lax", "Path=/ui", "airlock_session="} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q lacks %s", cookie, part)
		}
	}
	if strings.Contains(cookie, "Secure") {
		t.Error("a Secure cookie would be lost over plain HTTP")
	}
	// A logged-out person is led to the login, not shown it inside a card.
	s.client.Jar = nil
	got := s.part(paths.Executions)
	if got.status != http.StatusUnauthorized || !strings.HasPrefix(got.header.Get("HX-Redirect"), paths.Login) {
		t.Errorf("status %d, HX-Redirect %q", got.status, got.header.Get("HX-Redirect"))
	}
	for _, path := range []string{paths.Events, paths.Settings, paths.At(paths.ProfileLock, "x")} {
		if got := s.get(path); got.status != http.StatusSeeOther {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	for range 30 {
		if s.post(paths.Login, "name", uiName, "password", "wrong").status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("nobody stops guessing")
}

func TestUISecureCookieBehindTLS(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://airlock.example"+paths.Login,
		strings.NewReader("name=Ada+Lovelace&password=plum+orbit+tractor"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther || !strings.Contains(w.Header().Get("Set-Cookie"), "Secure") {
		t.Errorf("%d %q", w.Code, w.Header().Get("Set-Cookie"))
	}
}

// TestUISecureCookieOnAPlatform: behind an untrusted platform proxy, the public URL implies https.
func TestUISecureCookieOnAPlatform(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.configure(func(c *Config) { c.PublicURL = "https://airlock.onrender.com" })
	for host, want := range map[string]bool{"airlock.onrender.com": true, "localhost:9090": false} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+paths.Login,
			strings.NewReader("name=Ada+Lovelace&password=plum+orbit+tractor"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		if got := w.Header().Get("Set-Cookie"); w.Code != http.StatusSeeOther || strings.Contains(got,
			"Secure") != want {
			t.Errorf("%s: %d %q", host, w.Code, got)
		}
	}
}

func TestUIPanicIsAPage(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	e := echo.New()
	e.HTTPErrorHandler = s.server.fail
	e.Use(s.server.recoverPanics)
	e.GET("/ui/boom", func(echo.Context) error { panic("planted-s3cr3t-alpha") })
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/ui/boom", nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "<h1>") ||
		strings.Contains(w.Body.String(), "planted") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestUIFormsLeadSomewhere: the address of each form opens a page on GET.
func TestUIFormsLeadSomewhere(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	opens := map[string]bool{}
	all := s.server.ui.Pages()
	for _, r := range all {
		opens[r.Path] = opens[r.Path] || r.Method == http.MethodGet
	}
	for _, r := range all {
		if !opens[r.Path] {
			t.Errorf("%s %s leads nowhere when it is opened", r.Method, r.Path)
		}
	}
}

func TestUITheme(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	for _, next := range []string{"light", "dark", ""} { // a click changes to the next one
		button := s.get(paths.Root).doc.Find(".rail form[action$='/theme'] button")
		if got := button.AttrOr("value", "?"); got != next {
			t.Errorf("the button changes to %q, want %q", got, next)
		}
		s.post(paths.SettingsTheme, "theme", next)
		if got := s.get(paths.Root).doc.Find("html").AttrOr("data-theme", "?"); got != next {
			t.Errorf("the theme is %q, want %q", got, next)
		}
	}
	s.post(paths.SettingsTheme, "theme", "neon").want(http.StatusBadRequest)
	s.get(paths.Sandbox).want(http.StatusOK).says(".head", "Sandbox").says("main", "fake, isolation full")
}

func TestUIBrokenForms(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	for body, want := range map[string]int{
		"name=%zz":                                                              http.StatusBadRequest,
		"name=X&value=\xff\xfe-long-enough":                                     http.StatusUnprocessableEntity,
		"name=X&value=a%00b-long-enough":                                        http.StatusUnprocessableEntity,
		"name=X&value=long-enough&description=a%00b":                            http.StatusUnprocessableEntity,
		"name=X&value=" + strings.Repeat("x", app.MaxValue+1):                   http.StatusUnprocessableEntity,
		"name=X&value=" + strings.Repeat("x", app.MaxBody):                      http.StatusRequestEntityTooLarge,
		"name=X&value=long-enough&hosts=" + strings.Repeat("a.example%0a", 200): http.StatusUnprocessableEntity,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+paths.CredentialNew,
			strings.NewReader(body))
		s.must(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if a := s.do(r); a.status != want || a.doc.Find("h1").Length() != 1 {
			t.Errorf("%.40s: status %d, want %d", body, a.status, want)
		}
	}
	list, err := s.access.Credentials.List(t.Context())
	s.must(err)
	if len(list) != 0 {
		t.Errorf("stored %v", list)
	}
}

// The first visitor needs the platform's token and is told where it is.
func TestUIFirstVisit(t *testing.T) {
	t.Parallel()
	const where, why = "On Render the admin token is the value of AIRLOCK_ADMIN_TOKEN: your service's page, " +
		"Environment.",
		"The data directory /data isn't on a persistent volume."
	s := newUISiteWithoutPeople(t, func(c *Config) { c.Where = Where{Token: where, Losing: why} })
	s.get(paths.Welcome).leads(paths.Login) // which leads on by itself
	for _, path := range []string{paths.Root, paths.Credentials, paths.Settings} {
		s.get(path).leads(paths.LoginURL(path))
	}
	s.get(paths.Login).want(http.StatusOK).says("form", where).silent(why)
	s.post(paths.Login, "token", "atk_a-guess-of-the-first-visitor").want(http.StatusUnprocessableEntity).says("form",
		where)
	s.post(paths.Login, "name", uiName, "password", uiPassword).want(http.StatusUnprocessableEntity)
	s.firstPerson()
	if page := s.get(paths.Login).want(http.StatusOK); strings.Contains(page.text, "AIRLOCK_ADMIN_TOKEN") ||
		strings.Contains(page.text, why) {
		t.Error("strangers are told of the place after somebody is in")
	}
	s.login()
	s.get(paths.Root).want(http.StatusOK).says(".data-loss", why)
	for _, path := range []string{paths.Credentials, paths.Executions} { // one line there
		s.get(path).want(http.StatusOK).says(".data-loss", "Storage is temporary").silent(why)
	}
}
