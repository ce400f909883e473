package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

func (s *uiSite) sealed(name string, hosts ...string) app.Credential {
	s.t.Helper()
	in := credentials.Input{Name: name, Mode: app.ModeSealed, Value: app.NewSecret(uiSecrets()[0])}
	for _, text := range hosts {
		h, err := app.ParseHost(text)
		s.must(err)
		in.Hosts = append(in.Hosts, h)
	}
	c, err := s.access.Credentials.Set(s.t.Context(), s.person, in)
	s.must(err)
	return c
}

func TestUISealedCredential(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	add := s.get(paths.CredentialNew).want(http.StatusOK)
	if got := add.doc.Find("[name=mode][checked]").AttrOr("value", ""); got != "sealed" {
		t.Errorf("the form begins with %q", got)
	}
	if first := add.doc.Find(".choice b").First().Text(); first != "Sealed" {
		t.Errorf("%q stands first", first)
	}
	add.says(".choice.injected .caution", "Redaction only stops accidents").says(".choice.injected",
		"AWS SigV4, HMAC").says("#value-hint", "at least 16 characters")
	refused := s.submit(add, "main form", "", "name", "KEY", "value", uiSecrets()[0], "hosts", "https://x",
		"place.query",
		"yes", "plain_http", "yes").want(http.StatusUnprocessableEntity)
	if refused.doc.Find("[name='place.query'][checked], [name=plain_http][checked]").Length() != 2 ||
		refused.doc.Find("[name='place.body'][checked]").Length() != 0 {
		t.Error("the ticks are lost")
	}
	refused = s.submit(refused, "main form", "", "value", uiSecrets()[0], "hosts", "api.example.com", "headers",
		"X-Own, User-Agent").want(http.StatusUnprocessableEntity).
		says("#headers-wrong", "No sealed value can stand in User-Agent")
	if got := refused.doc.Find("#headers").Text(); got != "X-Own, User-Agent" {
		t.Errorf("the typed headers became %q", got)
	}
	s.submit(refused, "main form", "", "value", uiSecrets()[0], "hosts", "api.example.com", "headers",
		"x-own,cookie\nX-OWN").leads(paths.Credentials)
	c, err := s.access.Credentials.ByName(t.Context(), "KEY")
	s.must(err)
	if c.Mode != app.ModeSealed || !c.PlainHTTP || !slices.Contains(c.Places, app.PlaceQuery) || len(c.Places) != 2 {
		t.Errorf("stored %+v", c)
	}
	if diff := cmp.Diff([]string{"Cookie", "X-Own"}, c.Headers); diff != "" {
		t.Errorf("headers: %s", diff)
	}
	page := s.get(paths.CredentialURL("KEY")).says("#headers", "Cookie, X-Own")
	page.doc.Find("[name='place.query'], [name=plain_http]").RemoveAttr("checked")
	s.submit(page, "form[action='"+paths.CredentialURL("KEY")+"']", "", "place.body", "yes", "headers",
		"").leads(paths.Credentials)
	c, err = s.access.Credentials.ByName(t.Context(), "KEY")
	s.must(err)
	if diff := cmp.Diff([]app.Place{app.PlaceHeader, app.PlaceBody}, c.Places); diff != "" || c.PlainHTTP ||
		len(c.Headers) != 0 || c.Version != 1 {
		t.Errorf("stored %+v", c)
	}
	s.get(paths.Credentials).says("tbody .state.sealed", "Sealed").says("tbody", "not tested")

	// The old page offers a place that was since removed.
	s.submit(page, "form[action='"+paths.CredentialURL("KEY")+"']", "", "place.query",
		"yes").want(http.StatusUnprocessableEntity).says(".errors",
		"changed after you looked").lacks("[name='place.query'][checked]")
	if now, err := s.access.Credentials.ByName(t.Context(), "KEY"); err != nil ||
		slices.Contains(now.Places, app.PlaceQuery) {
		t.Errorf("stored %+v, %v", now, err)
	}
}

// A mode change tells how many locked profiles get the sealed value.
func TestUIModeChangeNamesWhoGetsTheValue(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.sealed("KEY", "api.example.com")
	const exposed = "would get the value itself"
	link := func(lock bool) {
		p := s.request([]app.Key{{Name: "KEY"}}, "api.example.com")
		_, err := s.access.Keys.Link(t.Context(), s.person, p.Handle, "KEY", "KEY")
		s.must(err)
		if lock {
			_, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, time.Time{})
			s.must(err)
		}
	}
	said := func() string { return s.get(paths.CredentialURL("KEY")).doc.Find(".choice.injected").Text() }
	link(false)
	if strings.Contains(said(), exposed) {
		t.Error("a profile that is not locked counts")
	}
	link(true)
	if text := said(); !strings.Contains(text, "1 locked profile "+exposed) {
		t.Errorf("injected says %q", text)
	}
	link(true)
	page := s.get(paths.CredentialURL("KEY")).says(".choice.plain .caution", "2 locked profiles "+exposed)
	if strings.Contains(page.doc.Find(".choice.sealed").Text(), exposed) {
		t.Error("sealed says it too")
	}
	s.submit(page, "form[action='"+paths.CredentialURL("KEY")+"']", "", "mode", "injected").leads(paths.Credentials)
	if strings.Contains(said(), exposed) {
		t.Error("it is said of what is injected already")
	}
}

// Before saving or deleting, the page tells the effects and whom they concern.
func TestUICredentialTellsWhatFollows(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.sealed("KEY", "api.example.com")
	keep := func(days int) {
		keeper := retention.New(retention.Config{Store: s.store, Policy: retention.Policy{Superseded: days}})
		s.configure(func(c *Config) { c.Retention = keeper })
	}
	keep(12)
	at := paths.CredentialURL("KEY")
	s.get(at).lacks("#affects").says("#value-hint", "the old one is never used again").says("#value-hint",
		"searched for the old one, for 12 days")
	for i := range 3 {
		p := s.request([]app.Key{{Name: "KEY"}}, "api.example.com")
		_, err := s.access.Keys.Link(t.Context(), s.person, p.Handle, "KEY", "KEY")
		s.must(err)
		if i > 0 {
			_, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, time.Time{})
			s.must(err)
		}
	}
	page := s.get(at).says("form #affects", "Used by 3 profiles (2 locked).")
	s.submit(page, "form[action='"+at+"']", "", "value", "short").want(http.StatusUnprocessableEntity).
		says("form #affects", "Used by 3 profiles (2 locked).").says("#value-hint", "for 12 days")
	keep(0)
	s.get(at).says("#value-hint", "not searched for the old one any more")
	s.get(paths.At(paths.CredentialDelete, "KEY")).says("main", "Scripts can't use it any more").says("main",
		"Revoke it there first.")

	plain := credentials.Input{Name: "HOST", Mode: app.ModePlain, Value: app.NewSecret("db.example.com")}
	_, err := s.access.Credentials.Set(t.Context(), s.person, plain)
	s.must(err)
	if text := s.get(paths.CredentialURL("HOST")).doc.Find("#value-hint").Text(); strings.Contains(text, "searched") {
		t.Errorf("of a plain value: %q", text)
	}
	deletion := s.get(paths.At(paths.CredentialDelete, "HOST")).says("main", "Scripts can't use it any more")
	if text := deletion.doc.Find("main").Text(); strings.Contains(text, "searching") {
		t.Errorf("of a plain value: %q", text)
	}
}

func TestUISealedKeyThatGoesNowhere(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.sealed("KEY", "api.example.com", "*.b.example.com:8443")
	p := s.request([]app.Key{{Name: "KEY"}, {Name: "save", Mode: app.ModeInjected}}, "other.example.com")
	page := s.get(paths.ProfileURL(p.Handle)).want(http.StatusOK).says(".grant .requested", "The agent asks for injected.")
	if page.doc.Find("[value=injected][checked]").Length() != 0 {
		t.Error("injected is chosen because an agent asked for it")
	}
	if got := page.doc.Find(`#hosts\.save`).Text(); got != "other.example.com" {
		t.Errorf("the profile's only host is not suggested, but %q", got)
	}
	lock := paths.At(paths.ProfileLock, p.Handle)
	s.submit(page, "form[action$='/setup']", "review", "allow.0", "yes", "value.save", uiSecrets()[1], "mode.save",
		"sealed").leads(lock)
	review := s.get(lock).says(".sentences .warning",
		"KEY is sealed: scripts never see its value. It goes only to api.example.com:443 and *.b.example.com:8443, "+
			"which scripts can't reach: it can go nowhere.").
		says(".stranded", "KEY could go nowhere").says(".sentences",
		"save is sealed: scripts never see its value. It goes only to other.example.com:443, in the usual "+
			"credential headers.")
	s.send(review.doc.Find(".stranded form").AttrOr("action", ""),
		map[string][]string{"do": {"review"},
			"new_host": {review.doc.Find(".stranded button").First().AttrOr("value", "")}}).leads(lock)
	after := s.get(lock).lacks(".stranded").says(".sentences",
		"KEY is sealed: scripts never see its value. It goes only to api.example.com:443, in the usual credential "+
			"headers.").
		says(".sentences", "Scripts can reach api.example.com on port 443.").says(".sentences",
		"Scripts can reach other.example.com")
	s.submit(after, ".lock form", "").leads(paths.ProfileURL(p.Handle))

	// After the lock the notes stay until the host is removed; one click requests it again.
	locked := s.get(accessOf(p)).lacks(".stranded")
	if locked.doc.Find(".sentences").Text() != after.doc.Find(".sentences").Text() {
		t.Error("other sentences stand after the lock")
	}
	i := locked.doc.Find("#hosts input[value='api.example.com:443']").AttrOr("name", "")
	locked.doc.Find("#hosts [name='allow." + i[len("host."):] + "']").RemoveAttr("checked")
	s.submit(locked, "#hosts form", "save").leads(accessOf(p))
	taken := s.get(accessOf(p)).says(".stranded", "KEY could go nowhere")
	summary := s.send(paths.At(paths.ProfileHosts, p.Handle),
		map[string][]string{"do": {"save"},
			"new_host": {taken.doc.Find(".stranded button").First().AttrOr("value", "")}}).want(http.StatusOK)
	summary.says("li:has(.fresh)",
		"It goes only to api.example.com:443, in the usual credential headers.").lacks(".stranded")
	s.submit(summary, "main form", "grant").leads(accessOf(p))
	s.get(accessOf(p)).lacks(".stranded")
}

func TestUIRefusedHostBecomesARequest(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	x := s.runs(p, "print x", app.StatusCompleted)
	for i, text := range []string{"api.example.com:443", "pypi.org:443"} {
		h, err := app.ParseHost(text)
		s.must(err)
		added, err := s.access.Hosts.Request(t.Context(), p.Handle, h, x.Handle, i+3)
		s.must(err)
		if !added {
			t.Fatal("no request")
		}
	}
	s.get(paths.Root).says(".inbox-list", "2 more hosts")
	at := paths.ProfileURL(p.Handle)
	page := s.get(at).says("#requests h2", "The agent asks for 2 more hosts").says("#requests",
		"Execution "+format.ShortHandle(x.Handle)+" was refused there")
	if got := page.doc.Find("#requests form a").First().AttrOr("href",
		""); got != paths.ExecutionURL(x.Handle)+"#network" {
		t.Errorf("leads to %q", got)
	}
	allow := s.send(paths.At(paths.ProfileHosts, p.Handle),
		map[string][]string{"host.0": {"api.example.com:443"}, "private.0": {"yes"},
			"allow.0": {"yes"}}).want(http.StatusOK)
	allow.says("li:has(.fresh)",
		"Scripts can reach api.example.com on port 443, including private addresses in your network: "+
			"Airlock checks the name, but not always who answers.")
	if p, _ := s.access.Profiles.ByHandle(t.Context(), p.Handle); p.Policy != 1 {
		t.Error("looking granted it")
	}

	// Concurrent changes must be looked at first.
	_, err := s.access.Profiles.Describe(t.Context(), s.person, p.Handle, "Another name")
	s.must(err)
	s.submit(allow, "main form", "grant").want(http.StatusUnprocessableEntity).says(".errors", "changed after you "+
		"looked")
	again := s.send(paths.At(paths.ProfileHosts, p.Handle),
		map[string][]string{"host.0": {"api.example.com:443"}, "allow.0": {"yes"}}).want(http.StatusOK)
	s.submit(again, "main form", "grant").leads(accessOf(p))
	now, err := s.access.Profiles.ByHandle(t.Context(), p.Handle)
	s.must(err)
	if got := app.AllowedHosts(now.Hosts); now.ID != p.ID || now.Policy != 2 || len(got) != 1 ||
		got[0].String() != "api.example.com:443" || got[0].Private {
		t.Errorf("granted %+v under policy %d", got, now.Policy)
	}
	rest := s.get(at).says("#requests h2", "1 more host").says("#requests", "pypi.org")
	s.submit(rest, "#requests form", "dismiss").leads(accessOf(p))
	s.get(accessOf(p)).lacks("#requests").says(".chip", "policy version 2")

	// Ticks bring in only requested hosts, and only grantable ones are shown.
	s.send(paths.At(paths.ProfileHosts, p.Handle), map[string][]string{"host.0": {"evil.example"},
		"allow.0": {"yes"}}).leads(accessOf(p))
	s.send(paths.At(paths.ProfileHosts, p.Handle),
		map[string][]string{"new_host": {"localhost"}}).want(http.StatusUnprocessableEntity).says("#new_host-wrong",
		"never reachable")
	if now, _ = s.access.Profiles.ByHandle(t.Context(), p.Handle); len(now.Hosts) != 1 || now.Policy != 2 {
		t.Errorf("hosts %+v", now.Hosts)
	}
}

func TestUITestNeedsASession(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.sealed("KEY", "api.example.com")
	s.post(paths.At(paths.CredentialTest, "KEY"), "target", "api.example.com:443").leads(paths.Login)
	c, err := s.access.Credentials.ByName(t.Context(), "KEY")
	s.must(err)
	if !c.CheckedAt.IsZero() {
		t.Error("it was tested")
	}
	s.login()
	s.get(paths.At(paths.CredentialTest, "KEY")).leads(paths.CredentialURL("KEY"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+paths.At(paths.CredentialTest, "KEY"),
		nil)
	s.must(err)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Origin", "https://evil.example")
	s.do(r).want(http.StatusForbidden)
}

func TestUILastCheck(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	c := s.sealed("KEY", "api.example.com")
	at := c.ValueSetAt.Add(time.Second)
	s.must(s.access.Credentials.RecordCheck(t.Context(), s.person, c,
		credentials.Check{At: at, Proved: true, Detail: "Sent a test request."}))
	s.get(paths.Credentials).says("tbody .state.ready", "works")
	s.must(s.access.Credentials.RecordCheck(t.Context(), s.person, c,
		credentials.Check{At: at, Detail: "Sent a test request."}))
	s.get(paths.Credentials).says("tbody", "reached, not proved").lacks("tbody .state.ready")
	s.must(s.access.Credentials.RecordCheck(t.Context(), s.person, c,
		credentials.Check{At: at, Problem: "The host said no.", Detail: "Sent a test request."}))
	failed := s.get(paths.Credentials).says("tbody .state.error", "failed")
	if failed.doc.Find("tbody .state.error").AttrOr("title", "") != "The host said no." {
		t.Error("why it failed is not told")
	}
	s.must(s.access.Credentials.RecordCheck(t.Context(), s.person, c,
		credentials.Check{At: c.CreatedAt.Add(-time.Second), Detail: "Sent a test request."}))
	s.get(paths.Credentials).says("tbody", "not tested since it was changed")
	s.get(paths.Audit).says("tbody", "Sent a test request.")
	if err := s.access.Credentials.RecordCheck(t.Context(), app.Actor{Kind: app.ActorAgent}, c,
		credentials.Check{At: at}); app.CodeOf(err) != app.CodeForbidden {
		t.Errorf("an agent records a check: %v", err)
	}
}

// withTester adds a tester whose only host, api.test:443, echoes.
func withTester(t *testing.T, s *uiSite) {
	t.Helper()
	instance, err := ca.New(time.Now())
	s.must(err)
	host := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+uiSecrets()[0] && r.URL.Path != "/" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, uiSecrets()[0])
	}))
	host.TLS = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate,
		error) {
		return instance.Leaf("api.test")
	}}
	host.StartTLS()
	t.Cleanup(host.Close)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(instance.Certificate())
	tester := testrequest.New(testrequest.Config{Access: s.access, Authority: instance.Certificate(),
		Gateway: egress.New(egress.Config{
			LocalServices: map[string]netip.AddrPort{"api.test:443": netip.MustParseAddrPort(host.Listener.Addr().
				String())},
			Authority: instance, Roots: roots,
			Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, nil },
		})})
	s.configure(func(c *Config) { c.Tester = tester })
}

func TestUITestRequest(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	withTester(t, s)
	s.login()
	s.sealed("KEY", "api.test", "gone.test", "*.wild.test")
	page := s.get(paths.CredentialURL("KEY")).says("#test header", "not tested").says("#test label",
		"Host under *.wild.test")
	form := "#test form"
	works := s.submit(page, form, "", "test_path", "/v1/me").want(http.StatusOK).says(".check-result",
		"It works: HTTP 200 with the value, HTTP 401 without it.").says(".check-result", "GET https://api.test/v1/me").
		says(".check-result", "added on the way out").says(".check-result", "status 200").says("#test header .state.ready", "tested")
	if got := works.doc.Find("#test_path").AttrOr("value", ""); got != "/v1/me" {
		t.Errorf("the path is %q", got)
	}
	if works.header.Get("HX-Push-Url") != "false" {
		t.Error("the address of the form would become a page")
	}
	s.get(paths.Credentials).says("tbody .state.ready", "works")
	s.submit(page, form, "").want(http.StatusOK).says(".check-result", "Reached, HTTP 200; this doesn't prove the key.").
		says(".check-result", "Name a path that answers only with a valid key")
	s.get(paths.Credentials).says("tbody", "reached, not proved")
	s.submit(works, form, "", "target", "gone.test:443").want(http.StatusOK).says(".check-result",
		"It does not work").says(".check-result", "no address")
	s.get(paths.Credentials).says("tbody .state.error", "failed")
	s.submit(works, form, "", "test_host", "evil.test").want(http.StatusUnprocessableEntity).says("#test_host-wrong",
		"may not go to evil.test").lacks(".check-result dl").lacks(".errors")
	s.submit(works, form, "", "test_path", "me").want(http.StatusUnprocessableEntity).says("#test_path-wrong",
		"starts with one slash")
	s.get(paths.Audit).says("tbody",
		"Sent a test request to api.test:443: the value was put in. It works: HTTP 200 with the value, HTTP 401 without it.")
}
