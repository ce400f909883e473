package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/views"
)

func TestUIPathWithoutScripts(t *testing.T) {
	s := newUISite(t)
	s.get("/").leads(views.Root)
	s.get(views.Profiles).leads(views.LoginURL(views.Profiles))
	login := s.get(views.LoginURL(views.Profiles)).want(http.StatusOK).says("h1", "Airlock")
	s.submit(login, "form", "", "token", "atk_wrong").want(http.StatusUnprocessableEntity).says(".wrong", "That is not the admin token.")
	s.submit(login, "form", "", "token", uiToken).leads(views.Profiles)
	s.get(views.Root).want(http.StatusOK).says(".steps .now h3", "Tell your agent about Airlock").says("#invitation", s.web.URL+"/skill.md")

	// A credential.
	add := s.get(views.CredentialNew).want(http.StatusOK)
	s.submit(add, "main form", "", "name", "ORACLE_PASSWORD", "value", uiSecrets()[0]).leads(views.Credentials)
	s.get(views.Credentials).want(http.StatusOK).says(".notice[role=status]", "The credential was added.").says("tbody th", "ORACLE_PASSWORD").says("tbody", "injected")

	// An agent's request.
	p := s.request([]app.Key{{Name: "ORACLE_PASSWORD", Description: "To read revenue"}, {Name: "ORACLE_DSN", Mode: app.ModePlain}}, "db.example.com:1521", "pypi.org")
	s.get(views.Root).says(".needs", "asks for 2 keys and 2 hosts").says(".needs", p.PairingCode).says(".count", "1")
	page := s.get(views.ProfileURL(p.Handle)).want(http.StatusOK).
		says("#pairing", p.PairingCode).says(".pair", "192.0.2.40").says(".grant", "To read revenue").says(".host", "Because of pypi.org")
	if got := page.doc.Find("[name='link.ORACLE_PASSWORD'] option[selected]").AttrOr("value", ""); got != "ORACLE_PASSWORD" {
		t.Errorf("the credential of the same name is not suggested, but %q", got)
	}
	s.submit(page, "form[action$='/setup']", "review", "value.ORACLE_DSN", "db.example.com/REPORTING", "allow.0", "yes", "private.0", "yes").leads(views.ProfileLockURL(p.Handle))
	lock := s.get(views.ProfileLockURL(p.Handle)).want(http.StatusOK).
		says(".sentences", "Scripts receive ORACLE_PASSWORD with its real value.").
		says(".sentences", "Scripts receive ORACLE_DSN as plain text.").
		says(".sentences", "They can reach db.example.com on port 1521, also where it leads to a private address in your network.").
		says(".sentences", "They can reach nothing else.").says(".sentences", "This has no end date.").says("#pairing", p.PairingCode)
	if strings.Contains(lock.doc.Find(".sentences").Text(), "pypi.org") {
		t.Error("an unticked host is among what is granted")
	}
	granted := lock.doc.Find(".sentences").Text()
	s.submit(lock, "main form", "").leads(views.ProfileURL(p.Handle))
	after := s.get(views.ProfileURL(p.Handle)).want(http.StatusOK).says(".state", "Locked").says("#profile-id", p.ID).says("#handover", p.ID)
	if after.doc.Find(".sentences").Text() != granted {
		t.Errorf("other sentences stand after the lock: %s", after.doc.Find(".sentences").Text())
	}
	now, err := s.access.ProfileByHandle(t.Context(), p.Handle)
	s.must(err)
	if now.CanExecute(time.Now()) != nil {
		t.Errorf("the profile can't execute: %v", now.CanExecute(time.Now()))
	}
	// pypi.org still waits for a decision; leaving it unticked refuses it.
	after.says(".asks h2", "The agent asks for 1 more host")
	s.submit(after, "form[action$='/hosts']", "save", "new_host", "api.example.com").leads(views.ProfileURL(p.Handle))
	s.get(views.ProfileURL(p.Handle)).says(".chip", "policy version 2").says(".sentences", "They can reach api.example.com on ports 80 and 443.").lacks(".asks")
	s.get(views.Root).lacks(".count")
	s.post(views.Logout).leads(views.Login)
	s.get(views.Root).leads(views.Login)
}

func TestUICredentials(t *testing.T) {
	s := newUISite(t)
	s.login()
	refused := s.post(views.CredentialNew, "name", "2FAST", "value", uiSecrets()[0], "mode", "plain", "hosts", "https://x", "description", "kept").want(http.StatusUnprocessableEntity)
	refused.says(".errors", "Nothing was saved")
	if refused.doc.Find("#name").AttrOr("value", "") != "2FAST" || refused.doc.Find("#description").AttrOr("value", "") != "kept" || refused.doc.Find("#hosts").Text() != "https://x" {
		t.Error("what was typed is lost")
	}
	if refused.header.Get("HX-Push-Url") != "false" {
		t.Error("the address of a refused form would become a page")
	}
	for name, c := range map[string]struct{ field, fields string }{
		"name":   {"name", "name=a-b&value=long-enough&mode=injected"},
		"value":  {"value", "name=OK&value=abc&mode=injected"},
		"mode":   {"mode", "name=OK&value=0123456789abcdef&mode=sealed"},
		"hosts":  {"hosts", "name=OK&value=long-enough&mode=injected&hosts=a:b:c"},
		"repeat": {"name", "name=TAKEN&value=long-enough&mode=injected"},
	} {
		t.Run(name, func(t *testing.T) {
			s.post(views.CredentialNew, "name", "TAKEN", "value", "long-enough", "mode", "injected")
			form, err := url.ParseQuery(c.fields)
			s.must(err)
			a := s.send(views.CredentialNew, form).want(http.StatusUnprocessableEntity)
			if f := a.doc.Find("[aria-invalid=true]"); f.AttrOr("name", f.AttrOr("aria-describedby", "")) != c.field && !strings.HasPrefix(f.AttrOr("aria-describedby", ""), c.field) {
				t.Errorf("the message is not at %s", c.field)
			}
			for _, id := range strings.Fields(a.doc.Find("[aria-invalid=true]").AttrOr("aria-describedby", "missing")) {
				if a.doc.Find("#"+id).Length() != 1 {
					t.Errorf("no element %s", id)
				}
			}
		})
	}
	s.post(views.CredentialNew, "name", "KEY", "value", uiSecrets()[0]+"\r\n", "mode", "injected", "hosts", "api.example.com\r\ndb.example.com:5432").leads(views.Credentials)
	c, err := s.access.Credential(t.Context(), "KEY")
	s.must(err)
	if len(c.Hosts) != 2 || c.Version != 1 {
		t.Errorf("stored %+v", c)
	}
	page := s.get(views.CredentialURL("KEY")).want(http.StatusOK)
	if page.doc.Find("textarea.secret").Text() != "" {
		t.Error("the value's field is not empty")
	}
	s.submit(page, "main form", "", "value", uiSecrets()[1]).leads(views.Credentials)
	s.get(views.CredentialURL("KEY")).says(".lead", "This is version 2.")
	ask := s.get(views.CredentialDeleteURL("KEY")).want(http.StatusOK).says("main button", "Delete KEY")
	p := s.request([]app.Key{{Name: "KEY"}})
	_, err = s.access.LinkKey(t.Context(), s.person, p.Handle, "KEY", "KEY")
	s.must(err)
	_, err = s.access.Lock(t.Context(), s.person, p.Handle, time.Time{})
	s.must(err)
	s.submit(ask, "main form", "").want(http.StatusUnprocessableEntity).says(".errors", "KEY")
	_, err = s.access.Revoke(t.Context(), s.person, p.Handle)
	s.must(err)
	s.submit(ask, "main form", "").leads(views.Credentials)
	s.get(views.CredentialURL("KEY")).want(http.StatusNotFound).says("h1", "")
}

func TestUISetUp(t *testing.T) {
	s := newUISite(t)
	s.login()
	s.post(views.ProfileNew, "description", " ").want(http.StatusUnprocessableEntity).says(".wrong", "It has no name")
	made := s.post(views.ProfileNew, "description", "My own").want(http.StatusSeeOther)
	at := made.header.Get("Location")
	page := s.get(at).want(http.StatusOK).says("h1", "My own").lacks("#pairing")
	form := "form[action$='/setup']"
	s.submit(page, form, "add key", "new_key", "no good").want(http.StatusUnprocessableEntity).says(".wrong", "can't be a key name")
	s.submit(page, form, "add key", "new_key", "FIRST", "new_key_note", "for the first").leads(at)
	page = s.get(at)
	s.submit(page, form, "add key", "new_key", "SECOND").leads(at)
	page = s.get(at).says(".grant", "FIRST").says(".grant", "SECOND")

	// One mistake doesn't cost what was typed beside it.
	mixed := s.submit(page, form, "review", "value.FIRST", uiSecrets()[0], "new_host", "https://example.com/").want(http.StatusUnprocessableEntity)
	mixed.says(".errors", "Saved, except for 2 entries below.").says("#value\\.SECOND-wrong", "Type the value").says("#new_host-wrong", "can't be used")
	if got := mixed.doc.Find("[name='link.FIRST'] option[selected]").AttrOr("value", ""); got != "FIRST" {
		t.Errorf("the first key was not saved, it shows %q", got)
	}
	if got := mixed.doc.Find("#new_host").AttrOr("value", ""); got != "https://example.com/" {
		t.Errorf("the typed host is lost: %q", got)
	}
	s.submit(mixed, form, "remove SECOND", "new_host", "example.com", "new_private", "yes").leads(at)
	page = s.get(at)
	page.lacks("[name='link.SECOND']").says(".host", "example.com")
	s.submit(page, form, "save", "expiry", "date", "expiry_date", "2001-01-01").want(http.StatusUnprocessableEntity).says("#expiry_date-wrong", "This day is over")
	s.submit(page, form, "review", "expiry", "30").leads(at + "/lock")
	lock := s.get(at+"/lock").says(".sentences", "This ends on").says(".sentences", "private address")

	// What changed since it was shown is not locked.
	handle := strings.TrimPrefix(at, views.Profiles+"/")
	_, err := s.access.ProposeHosts(t.Context(), app.Actor{Kind: app.ActorAgent}, handle, []app.Host{{Name: "late.example.com"}})
	s.must(err)
	s.submit(lock, "main form", "").want(http.StatusUnprocessableEntity).says(".errors", "changed")
	s.submit(s.get(at+"/lock"), "main form", "").leads(at)
	s.get(at + "/lock").leads(at)
	s.submit(page, form, "save").want(http.StatusUnprocessableEntity)

	end := s.submit(s.get(at), "form[action$='/expiry']", "", "expiry", "never")
	end.leads(at)
	s.get(at).says(".sentences", "This has no end date.")
	s.submit(s.get(at), "form[action$='/description']", "", "description", "Renamed").leads(at)
	s.get(at).says("h1", "Renamed")
	s.submit(s.get(at+"/revoke").says("main button", "Revoke Renamed"), "main form", "").leads(at)
	s.get(at).says(".head .state", "Revoked").lacks("form[action$='/hosts']")
	s.submit(s.get(at+"/delete"), "main form", "").leads(views.Profiles)
	s.get(at).want(http.StatusNotFound)
}

func TestUIExecutions(t *testing.T) {
	s := newUISite(t)
	s.login()
	s.get(views.Executions).want(http.StatusOK).says(".empty", "No executions yet")
	p := s.locked()
	good := s.runs(p, "print hello there\nresult {\"b\":1,\"a\":[2]}", app.StatusCompleted)
	bad := s.runs(p, "print x\nfail KeyError: 'nope'\nprint y", app.StatusError)
	asks := s.runs(p, "ask Which one?", app.StatusAwaitingLLM)

	list := s.get(views.Executions).want(http.StatusOK).says("tbody", "Completed").says("tbody", "Waiting for LLM").says("tbody .message", "KeyError: 'nope'")
	if n := list.doc.Find("tbody tr").Length(); n != 3 {
		t.Errorf("%d rows", n)
	}
	if n := s.get(views.Executions + "?status=completed&profile=" + p.Handle).doc.Find("tbody tr").Length(); n != 1 {
		t.Errorf("%d completed rows", n)
	}
	s.get(views.Executions + "?status=odd").want(http.StatusBadRequest)
	part := s.part(views.Executions)
	if part.doc.Find("tbody tr").Length() != 3 || part.doc.Find("h1, form").Length() != 0 {
		t.Errorf("the part is not the list alone: %.200s", part.text)
	}

	s.get(views.ExecutionURL(good.Handle)).want(http.StatusOK).says(".verdict .state", "Completed").says("#stdout-text", "hello there").
		says("#result-text", `{ "a": [ 2 ], "b": 1 }`).says(".verdict", "fake, full").says("#network", "no connection").lacks("main .button.danger")
	a := s.get(views.ExecutionURL(bad.Handle)).want(http.StatusOK).says(".why", "KeyError: 'nope'")
	if got := a.doc.Find(".lines .failing").AttrOr("id", ""); got != "line-2" {
		t.Errorf("the failing line is %q", got)
	}

	page := s.get(views.ExecutionURL(asks.Handle)).says("#answer", "Which one?")
	if strings.Contains(page.text, asks.ID) || strings.Contains(page.text, p.ID) {
		t.Error("the page shows a token")
	}
	s.submit(page, "#answer form", "answer", "response", "").want(http.StatusUnprocessableEntity).says("#response-wrong", "The answer is empty")
	s.submit(page, "#answer form", "answer", "response", "The second").leads(views.ExecutionURL(asks.Handle))
	x, err := s.engine.Await(t.Context(), asks.ID, 20*time.Second)
	s.must(err)
	if x.Status != app.StatusCompleted {
		t.Fatalf("status %s: %s", x.Status, x.Error)
	}
	s.get(views.ExecutionURL(asks.Handle)).says("#llm", "The second").says("#llm", "Person").says("#stdout-text", "answer: The second false")
	s.submit(page, "#answer form", "answer", "response", "Again").want(http.StatusUnprocessableEntity).says(".errors", "no longer waits")

	hangs := s.runs(p, "hang", app.StatusRunning)
	s.submit(s.get(views.ExecutionURL(hangs.Handle)), "form[action$='/cancel']", "").leads(views.ExecutionURL(hangs.Handle))
	s.get(views.ExecutionURL(hangs.Handle)).says(".verdict .state", "Cancelled")
	s.post(views.ExecutionCancelURL(hangs.Handle)).leads(views.ExecutionURL(hangs.Handle))

	// Revoking ends what runs; deleting keeps the history.
	runs := s.runs(p, "hang", app.StatusRunning)
	s.post(views.ProfileRevokeURL(p.Handle)).leads(views.ProfileURL(p.Handle))
	x, err = s.engine.ByHandle(t.Context(), runs.Handle)
	s.must(err)
	if !x.Status.Terminal() {
		t.Errorf("it still runs after the revocation: %s", x.Status)
	}
	s.post(views.ProfileDeleteURL(p.Handle)).leads(views.Profiles)
	s.get(views.ExecutionURL(good.Handle)).want(http.StatusOK).says(".verdict", "(deleted)")
	s.get(views.ExecutionURL("nosuchhandle")).want(http.StatusNotFound)
}

func TestUIPaging(t *testing.T) {
	s := newUISite(t)
	s.login()
	p := s.locked()
	for range 52 {
		s.runs(p, "print x", app.StatusCompleted)
	}
	first := s.get(views.Executions)
	older := first.doc.Find(".foot a").AttrOr("href", "")
	second := s.get(older).want(http.StatusOK)
	if a, b := first.doc.Find("tbody tr").Length(), second.doc.Find("tbody tr").Length(); a != 50 || b != 2 {
		t.Errorf("%d and %d rows", a, b)
	}
	if first.doc.Find("#list").AttrOr("hx-get", "") == "" || second.doc.Find("#list").AttrOr("hx-get", "") != "" {
		t.Error("the first page is live and the others stand still")
	}
	for i := range 52 {
		_, err := s.access.DescribeProfile(t.Context(), s.person, p.Handle, "name "+strconv.Itoa(i))
		s.must(err)
	}
	audit := s.get(views.Audit).want(http.StatusOK).says(".card > header", "The chain holds")
	s.get(audit.doc.Find(".foot a").AttrOr("href", "")).want(http.StatusOK)
}

func TestUIErrors(t *testing.T) {
	s := newUISite(t)
	s.get(views.Root + "/nowhere").leads(views.LoginURL(views.Root + "/nowhere"))
	s.login()
	s.get(views.Root+"/nowhere").want(http.StatusNotFound).says("h1", "There is nothing at this address").says("nav", "Profiles")
	s.get(views.CredentialURL("NONE")).want(http.StatusNotFound)
	s.get(views.ProfileURL("none")).want(http.StatusNotFound)

	foreign, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+views.CredentialNew, strings.NewReader("name=X&value=long-enough"))
	s.must(err)
	foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	s.do(foreign).want(http.StatusForbidden).says("h1", "page of another site")
	foreign, err = http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+views.Login, strings.NewReader("token="+uiToken))
	s.must(err)
	foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	foreign.Header.Set("Origin", "http://evil.example")
	s.do(foreign).want(http.StatusForbidden)

	s.must(s.store.Close())
	s.get(views.Profiles).want(http.StatusInternalServerError).says("h1", "Something went wrong inside Airlock")
	if text := s.get(views.Profiles).text; strings.Contains(text, "sql") {
		t.Errorf("the cause is shown: %s", text)
	}
}

func TestUISessions(t *testing.T) {
	s := newUISite(t)
	a := s.post(views.Login, "token", uiToken, "next", views.Audit).leads(views.Audit)
	cookie := a.header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Lax", "Path=/ui", "airlock_session="} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q lacks %s", cookie, part)
		}
	}
	if strings.Contains(cookie, "Secure") {
		t.Error("a Secure cookie would be lost over plain HTTP")
	}
	// Who is logged out in the middle of a page is led to the login, not shown it inside a card.
	s.client.Jar = nil
	got := s.part(views.Executions)
	if got.status != http.StatusUnauthorized || !strings.HasPrefix(got.header.Get("HX-Redirect"), views.Login) {
		t.Errorf("status %d, HX-Redirect %q", got.status, got.header.Get("HX-Redirect"))
	}
	for _, path := range []string{views.Events, views.Settings, views.ProfileLockURL("x")} {
		if got := s.get(path); got.status != http.StatusSeeOther {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	for range 30 {
		if s.post(views.Login, "token", "atk_wrong").status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("nobody stops guessing")
}

func TestLocalPage(t *testing.T) {
	for next, want := range map[string]string{
		"/ui":                          "/ui",
		"/ui/profiles?x=1":             "/ui/profiles?x=1",
		"/ui/executions/abc":           "/ui/executions/abc",
		"":                             "/ui",
		"/":                            "/ui",
		"/uix":                         "/ui",
		"/ui/login":                    "/ui",
		"https://evil.example/ui":      "/ui",
		"//evil.example/ui":            "/ui",
		"/ui//evil.example":            "/ui",
		"/ui/../execute":               "/ui",
		"/ui/%2e%2e/execute":           "/ui",
		`/ui\evil`:                     "/ui",
		"javascript:alert(1)":          "/ui",
		"/ui/\r\nSet-Cookie: x=1":      "/ui",
		"http:/ui":                     "/ui",
		"/ui/profiles#x":               "/ui/profiles",
		"/ui/credentials/a%20b?c=%2F1": "/ui/credentials/a%20b?c=%2F1",
	} {
		if got := localPage(next); got != want {
			t.Errorf("localPage(%q) = %q, want %q", next, got, want)
		}
	}
}

func TestChooseExpiry(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		form   views.ExpiryForm
		at     time.Time
		change bool
		field  string
	}{
		{form: views.ExpiryForm{Choice: "keep"}},
		{form: views.ExpiryForm{Choice: "never"}, change: true},
		{form: views.ExpiryForm{Choice: "1"}, change: true, at: time.Date(2026, 3, 5, 5, 6, 0, 0, time.UTC)},
		{form: views.ExpiryForm{Choice: "date", Date: "2026-03-04"}, change: true, at: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)},
		{form: views.ExpiryForm{Choice: "date", Date: "2026-03-03"}, field: "expiry_date"},
		{form: views.ExpiryForm{Choice: "date", Date: "soon"}, field: "expiry_date"},
		{form: views.ExpiryForm{Choice: "-1"}, field: "expiry"},
		{form: views.ExpiryForm{Choice: "99999"}, field: "expiry"},
		{form: views.ExpiryForm{Choice: "x"}, field: "expiry"},
	} {
		at, change, err := chooseExpiry(c.form, now)
		field := ""
		if e, ok := asAppError(err); ok {
			field = e.Field
		}
		if !at.Equal(c.at) || change != c.change || field != c.field {
			t.Errorf("%+v: %v %v %v", c.form, at, change, err)
		}
	}
}

func TestUISecureCookieBehindTLS(t *testing.T) {
	s := newUISite(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://airlock.example"+views.Login, strings.NewReader("token="+uiToken))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther || !strings.Contains(w.Header().Get("Set-Cookie"), "Secure") {
		t.Errorf("%d %q", w.Code, w.Header().Get("Set-Cookie"))
	}
}

func TestUIPanicIsAPage(t *testing.T) {
	s := newUISite(t)
	e := echo.New()
	e.HTTPErrorHandler = s.server.fail
	e.Use(s.server.recoverPanics)
	e.GET("/ui/boom", func(echo.Context) error { panic("planted-s3cr3t-alpha") })
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/ui/boom", nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "<h1>") || strings.Contains(w.Body.String(), "planted") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestUIEvents(t *testing.T) {
	s := newUISite(t)
	s.login()
	p := s.locked()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+views.Events, nil)
	s.must(err)
	res, err := s.client.Do(r)
	s.must(err)
	defer res.Body.Close()
	if res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("headers %v", res.Header)
	}
	_, _, err = s.engine.Submit(t.Context(), engine.Submission{ProfileID: p.ID, Script: "print x", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	seen := ""
	for buf := make([]byte, 4096); !strings.Contains(seen, "event: executions\n"); {
		n, err := res.Body.Read(buf)
		s.must(err)
		seen += string(buf[:n])
	}
	if strings.Contains(seen, p.ID) {
		t.Error("the stream carries a token")
	}
	s.server.Drain() // ends the stream, so a shutdown doesn't wait for it
	for buf := make([]byte, 4096); ; {
		if _, err := res.Body.Read(buf); err != nil {
			return
		}
	}
}

func TestUITheme(t *testing.T) {
	s := newUISite(t)
	s.login()
	s.submit(s.get(views.Settings), "form[action$='/theme']", "", "theme", "dark").leads(views.Settings)
	if got := s.get(views.Settings).says(".notice[role=status]", "theme").doc.Find("html").AttrOr("data-theme", ""); got != "dark" {
		t.Errorf("the theme is %q", got)
	}
	s.post(views.SettingsTheme, "theme", "neon").want(http.StatusBadRequest)
	s.post(views.SettingsTheme, "theme", "").leads(views.Settings)
	s.get(views.Sandbox).want(http.StatusOK).says(".head", "Sandbox").says("main", "fake, isolation full")
}
