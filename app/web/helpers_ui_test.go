package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/auth/authtest"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/files/filestest"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/plugins/fake"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

// uiToken admits the first person, uiName and uiPassword. No answer may contain uiSecrets.
const (
	uiToken    = "atk_0123456789abcdefghjkmnpqrstvwx"
	uiName     = "Ada Lovelace"
	uiPassword = "plum orbit tractor"
)

func uiSecrets() []string {
	return []string{"planted-s3cr3t-alpha", "planted-s3cr3t-beta", uiToken, uiPassword}
}

// uiSite is a whole server with a browser-like client. Only its boxes are fake.
type uiSite struct {
	t       *testing.T
	store   *store.Store
	access  *access.Parts
	engine  *engine.Engine
	backend *fake.Backend
	server  *Server
	web     *httptest.Server
	client  *http.Client // keeps cookies, follows no redirect
	person  app.Actor
}

// newUISite returns a site with one person, logged out.
func newUISite(t *testing.T, change ...func(*Config)) *uiSite {
	t.Helper()
	s := newUISiteWithoutPeople(t, change...)
	s.firstPerson()
	return s
}

// firstPerson creates the first person unless there is one.
func (s *uiSite) firstPerson() {
	s.t.Helper()
	ctx := s.t.Context()
	people, err := s.access.People.List(ctx)
	s.must(err)
	if len(people) > 0 {
		return
	}
	half, err := s.access.Enrollment.Enroll(ctx, "192.0.2.1", "", app.NewSecret(uiToken))
	s.must(err)
	_, err = s.access.Enrollment.Join(ctx, half.Token, "192.0.2.1", "", uiName, app.NewSecret(uiPassword))
	s.must(err)
}

func newUISiteWithoutPeople(t *testing.T, change ...func(*Config)) *uiSite {
	t.Helper()
	return newUISiteIn(t, t.TempDir(), change...)
}

func newUISiteIn(t *testing.T, dir string, change ...func(*Config)) *uiSite {
	t.Helper()
	s := &uiSite{t: t, person: app.Actor{Kind: app.ActorPerson, Name: "test"}}
	s.store = storetest.OpenIn(t, dir, nil)
	keyring, err := secrets.NewKeyring(app.NewSecret("0123456789abcdef0123456789abcdef-ui-test"))
	s.must(err)
	hub := &live.Hub{}
	s.access = access.New(access.Config{
		Store: s.store, Keyring: keyring, Hub: hub, AgentProfiles: true, HashCost: authtest.CheapHashes(t),
	})
	_, err = s.access.AdminToken.Ensure(t.Context(), app.NewSecret(uiToken))
	s.must(err)
	s.backend = fake.New(t, playUI)
	s.engine = engine.New(engine.Config{
		Files: filestest.New(t, dir, s.store, keyring),
		Store: s.store, Access: s.access, Keyring: keyring, Hub: hub, Gateway: egress.New(egress.Config{}),
		Sandboxes: []sandbox.BackendConfig{{Name: "fake", Backend: s.backend}}, Workers: 2, Pool: 1,
	})
	startProved(t, s.engine)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := s.engine.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	label := fmt.Sprintf("%x", sha256.Sum256([]byte(dir)))[:8]
	moves := transfer.New(transfer.Config{Store: s.store, Keyring: keyring, Hub: hub, Dir: dir, Instance: label,
		Program: "airlock test", Cost: archive.Cost{Memory: 8, Passes: 1, Lanes: 1}})
	t.Cleanup(moves.Close)
	kept := backups.New(backups.Config{Store: s.store, Keyring: keyring, Hub: hub, Dir: dir, Instance: label, Transfer: moves})
	cfg := Config{Access: s.access, Engine: s.engine, Hub: hub, Version: "0.0.0-test", Transfer: moves, Backups: kept,
		Key: instance.KeyInfo{From: "a test", ID: keyring.KeyID(), Risk: "It is near."}}
	for _, f := range change {
		f(&cfg)
	}
	s.server = New(cfg)
	s.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.server.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.server.Drain(); s.web.Close() })
	jar, err := cookiejar.New(nil)
	s.must(err)
	s.client = &http.Client{Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s
}

// configure replaces the server by one with changed configuration.
func (s *uiSite) configure(change func(*Config)) {
	cfg := s.server.cfg
	change(&cfg)
	s.server = New(cfg)
}

func (s *uiSite) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// uiAnswer is a response that was read.
type uiAnswer struct {
	t      *testing.T
	status int
	header http.Header
	text   string
	doc    *goquery.Document
}

// do sends a request and checks each answer's headers and lack of secrets.
func (s *uiSite) do(r *http.Request) *uiAnswer {
	s.t.Helper()
	res, err := s.client.Do(r)
	s.must(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	s.must(err)
	a := &uiAnswer{t: s.t, status: res.StatusCode, header: res.Header, text: string(body)}
	a.doc, err = goquery.NewDocumentFromReader(strings.NewReader(a.text))
	s.must(err)
	if strings.HasPrefix(r.URL.Path, "/ui") && !strings.HasPrefix(r.URL.Path, "/ui/assets") {
		for name, want := range map[string]string{"Content-Security-Policy": uix.PagePolicy, "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Vary": "HX-Request-Type"} {
			if got := res.Header.Get(name); got != want {
				s.t.Errorf("%s %s: %s is %q, want %q", r.Method, r.URL.Path, name, got, want)
			}
		}
	}
	for _, secret := range uiSecrets() {
		if strings.Contains(a.text, secret) {
			s.t.Errorf("%s %s shows a secret", r.Method, r.URL.Path)
		}
	}
	return a
}

func (s *uiSite) get(path string) *uiAnswer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.web.URL+path, nil)
	s.must(err)
	return s.do(r)
}

// part requests a part of a page as htmx does.
func (s *uiSite) part(path string) *uiAnswer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.web.URL+path, nil)
	s.must(err)
	r.Header.Set("HX-Request", "true")
	r.Header.Set("HX-Request-Type", "partial")
	return s.do(r)
}

func (s *uiSite) post(path string, fields ...string) *uiAnswer {
	s.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return s.send(path, form)
}

func (s *uiSite) send(path string, form url.Values) *uiAnswer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.web.URL+path,
		strings.NewReader(form.Encode()))
	s.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.do(r)
}

// submit sends a page's form as a browser without scripts does: all fields, changed by fill, with
// the button.
func (s *uiSite) submit(a *uiAnswer, form, button string, fill ...string) *uiAnswer {
	s.t.Helper()
	f := a.doc.Find(form)
	if f.Length() != 1 {
		s.t.Fatalf("%d forms match %s", f.Length(), form)
	}
	values := url.Values{}
	f.Find("input, textarea, select").Each(func(_ int, e *goquery.Selection) {
		name, _ := e.Attr("name")
		kind, _ := e.Attr("type")
		_, checked := e.Attr("checked")
		switch {
		case name == "" || (kind == "checkbox" || kind == "radio") && !checked:
		case e.Is("select"):
			chosen := e.Find("option[selected]")
			if chosen.Length() == 0 {
				chosen = e.Find("option").First()
			}
			values.Set(name, chosen.AttrOr("value", ""))
		case e.Is("textarea"):
			values.Set(name, e.Text())
		case kind == "checkbox" || kind == "radio":
			values.Set(name, e.AttrOr("value", "on"))
		default:
			values.Set(name, e.AttrOr("value", ""))
		}
	})
	for i := 0; i < len(fill); i += 2 {
		if f.Find("[name='"+fill[i]+"']").Length() == 0 {
			s.t.Fatalf("the form has no field %q", fill[i])
		}
		values.Set(fill[i], fill[i+1])
	}
	if button != "" {
		b := f.Find("button[value='" + button + "']").First()
		if b.Length() == 0 {
			s.t.Fatalf("the form has no button %q", button)
		}
		values.Set(b.AttrOr("name", ""), button)
	}
	if f.AttrOr("method", "") != "post" {
		return s.get(f.AttrOr("action", "") + "?" + values.Encode())
	}
	return s.send(f.AttrOr("action", ""), values)
}

func (s *uiSite) login() {
	s.t.Helper()
	s.post(paths.Login, "name", uiName, "password", uiPassword).leads(paths.Root)
}

// want fails unless the answer has the status.
func (a *uiAnswer) want(status int) *uiAnswer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %s", a.status, status, strings.Join(strings.Fields(a.doc.Find("main").Text()),
			" "))
	}
	return a
}

func (a *uiAnswer) leads(path string) *uiAnswer {
	a.t.Helper()
	a.want(http.StatusSeeOther)
	if got := a.header.Get("Location"); got != path {
		a.t.Fatalf("leads to %q, want %q", got, path)
	}
	return a
}

func (a *uiAnswer) says(selector, text string) *uiAnswer {
	a.t.Helper()
	got := strings.Join(strings.Fields(a.doc.Find(selector).Text()), " ")
	if !strings.Contains(got, text) {
		a.t.Errorf("%s says %q, want %q", selector, got, text)
	}
	return a
}

func (a *uiAnswer) silent(text string) *uiAnswer {
	a.t.Helper()
	if strings.Contains(a.text, text) {
		a.t.Errorf("the page says %q", text)
	}
	return a
}

func (a *uiAnswer) lacks(selector string) *uiAnswer {
	a.t.Helper()
	if n := a.doc.Find(selector).Length(); n != 0 {
		a.t.Errorf("%d elements match %s", n, selector)
	}
	return a
}

// accessOf returns the address of a profile's Access tab.
func accessOf(p app.Profile) string { return profileview.TabAccess.URL(p.Handle) }

func (s *uiSite) request(keys []app.Key, hosts ...string) app.Profile {
	s.t.Helper()
	ctx, by := s.t.Context(), app.Actor{Kind: app.ActorAgent, Address: "192.0.2.40"}
	p, err := s.access.Profiles.Create(ctx, by, "Monthly revenue report")
	s.must(err)
	if len(keys) > 0 {
		_, err = s.access.Keys.Add(ctx, by, p.Handle, keys)
		s.must(err)
	}
	var list []app.Host
	for _, text := range hosts {
		h, err := app.ParseHost(text)
		s.must(err)
		h.Reason = "Because of " + text
		list = append(list, h)
	}
	if len(list) > 0 {
		_, err = s.access.Hosts.Propose(ctx, by, p.Handle, list)
		s.must(err)
	}
	p, err = s.access.Profiles.ByHandle(ctx, p.Handle)
	s.must(err)
	return p
}

// locked is a profile that can execute.
func (s *uiSite) locked() app.Profile {
	s.t.Helper()
	p := s.request(nil)
	p, err := s.access.Lifecycle.Lock(s.t.Context(), s.person, p.Handle, time.Time{})
	s.must(err)
	return p
}

// runs submits a script and waits for the status.
func (s *uiSite) runs(p app.Profile, script string, status app.Status) app.Execution {
	s.t.Helper()
	return s.reaches(status, executions.Submission{ProfileID: p.ID, Script: script})
}

func (s *uiSite) submitsInputs(p app.Profile, script, inputs string) app.Execution {
	s.t.Helper()
	return s.reaches(app.StatusCompleted,
		executions.Submission{ProfileID: p.ID, Script: script, Inputs: json.RawMessage(inputs)})
}

// reaches submits a script and waits for the status.
func (s *uiSite) reaches(status app.Status, submission executions.Submission) app.Execution {
	s.t.Helper()
	submission.By = app.Actor{Kind: app.ActorAgent}
	sub := s.server.cfg.Hub.Subscribe()
	defer sub.Close()
	x, _, err := s.engine.Submitter.Submit(s.t.Context(), submission)
	s.must(err)
	limit := time.After(20 * time.Second)
	for {
		x, err = s.engine.Reader.ByHandle(s.t.Context(), x.Handle)
		s.must(err)
		if x.Status == status {
			return x
		}
		select {
		case <-sub.C():
		case <-limit:
			s.t.Fatalf("status %s, want %s: %s", x.Status, status, x.Error)
		}
	}
}
