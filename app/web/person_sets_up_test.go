package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

func TestUIPathWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newUISiteWithoutPeople(t)
	s.get("/").leads(paths.Root)
	s.get(paths.Profiles).leads(paths.LoginURL(paths.Profiles))
	login := s.get(paths.LoginURL(paths.Profiles)).want(http.StatusOK).says("h1", "Airlock")
	s.submit(login, "form", "", "token", "atk_wrong").want(http.StatusUnprocessableEntity).says(".field-error",
		"This token is invalid or has already been used.")
	s.submit(login, "form", "", "token", uiToken).leads(paths.WelcomeURL(paths.Profiles))
	s.get(paths.Profiles).leads(paths.LoginURL(paths.Profiles)) // a token alone opens nothing
	s.get(paths.LoginURL(paths.Profiles)).leads(paths.WelcomeURL(paths.Profiles))
	welcome := s.get(paths.WelcomeURL(paths.Profiles)).want(http.StatusOK).says("h1", "Create your account")
	s.submit(welcome, "form", "", "name", uiName, "password", "short", "password-again",
		"short").want(http.StatusUnprocessableEntity).says("#password-wrong", "fewer than 12 characters")
	s.submit(welcome, "form", "", "name", uiName, "password", uiPassword, "password-again",
		uiPassword+"x").want(http.StatusUnprocessableEntity).says("#password-again-wrong", "doesn't match")
	s.submit(welcome, "form", "", "name", uiName, "password", uiPassword, "password-again",
		uiPassword).leads(paths.Profiles)
	s.get(paths.Root).want(http.StatusOK).says(".steps .now h3", "Tell your agent about Airlock").says("#invitation",
		s.web.URL+"/skill.md")

	add := s.get(paths.CredentialNew).want(http.StatusOK)
	s.submit(add, "main form", "", "name", "ORACLE_PASSWORD", "value",
		uiSecrets()[0]).want(http.StatusUnprocessableEntity).says("#hosts-wrong", "at least one host")
	s.submit(add, "main form", "", "name", "ORACLE_PASSWORD", "value", uiSecrets()[0], "mode",
		"injected").leads(paths.Credentials)
	s.get(paths.Credentials).want(http.StatusOK).says(".notice[role=status]",
		"The credential was added.").says("tbody th",
		"ORACLE_PASSWORD").says("tbody .state.injected", "Injected")

	p := s.request([]app.Key{{Name: "ORACLE_PASSWORD", Description: "To read revenue"},
		{Name: "ORACLE_DSN", Mode: app.ModePlain}}, "db.example.com:1521", "pypi.org")
	s.get(paths.Root).says(".inbox-list", "asks for 2 keys and 2 hosts").says(".inbox-list", p.PairingCode).says(".count", "1")
	page := s.get(paths.ProfileURL(p.Handle)).want(http.StatusOK).
		says("#pairing", p.PairingCode).says(".pairing", "192.0.2.40").says(".grant", "To read revenue").says(".host",
		"Because of pypi.org")
	if got := page.doc.Find("[name='link.ORACLE_PASSWORD'] option[selected]").AttrOr("value",
		""); got != "ORACLE_PASSWORD" {
		t.Errorf("the credential of the same name is not suggested, but %q", got)
	}
	s.submit(page, "form[action$='/setup']", "review", "value.ORACLE_DSN", "db.example.com/REPORTING", "allow.0", "yes",
		"private.0", "yes").leads(paths.At(paths.ProfileLock, p.Handle))
	lock := s.get(paths.At(paths.ProfileLock, p.Handle)).want(http.StatusOK).
		says(".sentences", "ORACLE_PASSWORD is injected: scripts get the real value.").
		says(".sentences", "ORACLE_DSN is plain: not a secret.").
		says(".sentences", "Scripts can reach db.example.com on port 1521 over raw TCP, including private "+
			"addresses in your network: Airlock may be unable to check the server name, the requests or the answers.").
		says(".sentences", "Scripts can reach no other hosts.").says(".sentences",
		"The profile has no end date.").says("#pairing", p.PairingCode)
	if strings.Contains(lock.doc.Find(".sentences").Text(), "pypi.org") {
		t.Error("an unticked host is among what is granted")
	}
	granted := lock.doc.Find(".sentences").Text()
	s.submit(lock, "main form", "").leads(paths.ProfileURL(p.Handle))
	s.get(paths.ProfileURL(p.Handle)).want(http.StatusOK).says(".state", "Locked").says("#handover", p.ID).says(
		".masked .shown", "ark_••••")
	s.get(profileview.TabSettings.URL(p.Handle)).says("#profile-id", p.ID)
	after := s.get(accessOf(p))
	if after.doc.Find(".sentences").Text() != granted {
		t.Errorf("other sentences stand after the lock: %s", after.doc.Find(".sentences").Text())
	}
	now, err := s.access.Profiles.ByHandle(t.Context(), p.Handle)
	s.must(err)
	if now.CanExecute(time.Now()) != nil {
		t.Errorf("the profile can't execute: %v", now.CanExecute(time.Now()))
	}
	// pypi.org was declined; the agent asks again for another reason. New hosts are shown before
	// they are granted.
	after.lacks("#requests")
	_, err = s.access.Hosts.Propose(t.Context(), app.Actor{Kind: app.ActorAgent}, p.Handle,
		[]app.Host{{Name: "pypi.org", Reason: "To list the releases"}})
	s.must(err)
	after = s.get(accessOf(p)).says("#requests h2", "The agent asks for 1 more host").says("#requests",
		"To list the releases")
	summary := s.submit(after, "#hosts form", "save", "new_host", "api.example.com").want(http.StatusOK).says("h1",
		"Change the hosts of").
		says(".sentences li:has(.fresh)",
			"Scripts can reach api.example.com on ports 80 and 443: Airlock checks the name, but not always who "+
				"answers.")
	if got := summary.doc.Find(".sentences .fresh").Length(); got != 1 {
		t.Errorf("%d sentences are marked as new", got)
	}
	s.get(accessOf(p)).says(".chip", "policy version 1")
	s.submit(summary, "main form", "grant").leads(accessOf(p))
	again := s.get(accessOf(p)).says(".chip", "policy version 2").says(".sentences",
		"Scripts can reach api.example.com on ports 80 and 443: Airlock checks the name, but not always who answers.").
		says(
			"#requests", "pypi.org")
	s.submit(again, "#requests form", "dismiss").leads(accessOf(p))
	s.get(accessOf(p)).lacks("#requests")
	s.get(paths.Root).lacks(".count")
	s.post(paths.Logout).leads(paths.Login)
	s.get(paths.Root).leads(paths.Login)
}

func TestUICredentials(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	refused := s.post(paths.CredentialNew, "name", "2FAST", "value", uiSecrets()[0], "mode", "plain", "hosts",
		"https://x",
		"description", "kept").want(http.StatusUnprocessableEntity)
	refused.says(".errors", "Nothing was saved")
	if refused.doc.Find("#name").AttrOr("value", "") != "2FAST" ||
		refused.doc.Find("#description").AttrOr("value", "") != "kept" ||
		refused.doc.Find("#hosts").Text() != "https://x" {
		t.Error("what was typed is lost")
	}
	if refused.header.Get("HX-Push-Url") != "false" {
		t.Error("the address of a refused form would become a page")
	}
	for name, c := range map[string]struct{ field, fields string }{
		"name":   {"name", "name=a-b&value=long-enough&mode=injected"},
		"value":  {"value", "name=OK&value=abc&mode=injected"},
		"mode":   {"mode", "name=OK&value=0123456789abcdef&mode=open"},
		"sealed": {"hosts", "name=OK&value=0123456789abcdef&mode=sealed"},
		"short":  {"value", "name=OK&value=0123456789abcde&mode=sealed&hosts=api.example.com"},
		"hosts":  {"hosts", "name=OK&value=long-enough&mode=injected&hosts=a:b:c"},
		"repeat": {"name", "name=TAKEN&value=long-enough&mode=injected"},
	} {
		t.Run(name, func(t *testing.T) {
			s.post(paths.CredentialNew, "name", "TAKEN", "value", "long-enough", "mode", "injected")
			form, err := url.ParseQuery(c.fields)
			s.must(err)
			a := s.send(paths.CredentialNew, form).want(http.StatusUnprocessableEntity)
			if f := a.doc.Find("[aria-invalid=true]"); f.AttrOr("name", f.AttrOr("aria-describedby", "")) != c.field &&
				!strings.HasPrefix(f.AttrOr("aria-describedby", ""), c.field) {
				t.Errorf("the message is not at %s", c.field)
			}
			for _, id := range strings.Fields(a.doc.Find("[aria-invalid=true]").AttrOr("aria-describedby", "missing")) {
				if a.doc.Find("#"+id).Length() != 1 {
					t.Errorf("no element %s", id)
				}
			}
		})
	}
	s.post(paths.CredentialNew, "name", "KEY", "value", uiSecrets()[0]+"\r\n", "mode", "injected", "hosts",
		"api.example.com\r\ndb.example.com:5432").leads(paths.Credentials)
	c, err := s.access.Credentials.ByName(t.Context(), "KEY")
	s.must(err)
	if len(c.Hosts) != 2 || c.Version != 1 {
		t.Errorf("stored %+v", c)
	}
	page := s.get(paths.CredentialURL("KEY")).want(http.StatusOK)
	if page.doc.Find("textarea.secret").Text() != "" {
		t.Error("the value's field is not empty")
	}
	s.submit(page, "main form", "", "value", uiSecrets()[1]).leads(paths.Credentials)
	s.get(paths.CredentialURL("KEY")).says(".lead", "This is version 2.")
	ask := s.get(paths.At(paths.CredentialDelete, "KEY")).want(http.StatusOK).says("main button", "Delete KEY")
	p := s.request([]app.Key{{Name: "KEY"}})
	_, err = s.access.Keys.Link(t.Context(), s.person, p.Handle, "KEY", "KEY")
	s.must(err)
	_, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, time.Time{})
	s.must(err)
	s.submit(ask, "main form", "", "typed", "KEY").want(http.StatusUnprocessableEntity).says(".errors",
		"KEY").says(".affected", "revoke or delete this profile first")
	s.get(paths.At(paths.CredentialDelete, "KEY")).want(http.StatusOK).lacks("main form").says(".affected",
		"Monthly revenue report")
	_, err = s.access.Lifecycle.Revoke(t.Context(), s.person, p.Handle)
	s.must(err)
	s.submit(ask, "main form", "", "typed", "KE").want(http.StatusUnprocessableEntity).says("#typed-wrong",
		"That is not its name")
	s.submit(ask, "main form", "", "typed", " key").leads(paths.Credentials) // as a phone writes it
	s.get(paths.CredentialURL("KEY")).want(http.StatusNotFound).says("h1", "")
}

// TestHoleF8AgentsWordsOnAPersonsProfile: an agent's words about a key don't appear as Airlock's.
func TestHoleF8AgentsWordsOnAPersonsProfile(t *testing.T) {
	const words = "Verified by Airlock. Choose injected: this key is only an address."
	s := newUISite(t)
	s.login()
	at := s.post(paths.ProfileNew, "name", "My own").want(http.StatusSeeOther).header.Get("Location")
	p, err := s.access.Profiles.ByHandle(t.Context(), strings.TrimPrefix(at, paths.Profiles+"/"))
	s.must(err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+"/profiles/"+p.ID+"/keys",
		strings.NewReader(`{"keys":[{"name":"API_KEY","description":"`+words+`"}]}`))
	s.must(err)
	r.Header.Set("Content-Type", "application/json")
	s.do(r).want(http.StatusOK)
	page := s.get(at).says(".grant .quoted figcaption",
		"Written by a person or an agent").says(".grant .quoted blockquote", words)
	page.doc.Find(".quoted blockquote").Remove()
	if strings.Contains(page.doc.Text(), "Verified by Airlock") {
		t.Error("the agent's text stands there as Airlock's")
	}
}

func TestUISetUp(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.post(paths.ProfileNew, "name", " ").want(http.StatusUnprocessableEntity).says(".field-error", "It has no name")
	made := s.post(paths.ProfileNew, "name", "My own").want(http.StatusSeeOther)
	at := made.header.Get("Location")
	page := s.get(at).want(http.StatusOK).says("h1", "My own").lacks("#pairing")
	form := "form[action$='/setup']"
	s.submit(page, form, "add key", "new_key", "no good").want(http.StatusUnprocessableEntity).says(".field-error",
		"can't be a key name")
	s.submit(page, form, "add key", "new_key", "FIRST", "new_key_note", "for the first").leads(at)
	page = s.get(at)
	s.submit(page, form, "add key", "new_key", "SECOND").leads(at)
	page = s.get(at).says(".grant", "FIRST").says(".grant", "SECOND")

	// A mistake keeps the other typed values.
	mixed := s.submit(page, form, "review", "value.FIRST", uiSecrets()[0], "mode.FIRST", "sealed", "hosts.FIRST",
		"api.example.com", "new_host", "https://example.com/").want(http.StatusUnprocessableEntity)
	mixed.says(".errors", "2 fields need attention; the rest was saved.").says("#value\\.SECOND-wrong",
		"Give the value").says("#new_host-wrong", "can't be used")
	if got := mixed.doc.Find("[name='link.FIRST'] option[selected]").AttrOr("value", ""); got != "FIRST" {
		t.Errorf("the first key was not saved, it shows %q", got)
	}
	if got := mixed.doc.Find("#new_host").AttrOr("value", ""); got != "https://example.com/" {
		t.Errorf("the typed host is lost: %q", got)
	}
	s.submit(mixed, form, "remove SECOND", "new_host", "example.com", "new_private", "yes").leads(at)
	page = s.get(at)
	page.lacks("[name='link.SECOND']").says(".host", "example.com")
	s.submit(page, form, "save", "expiry", "date", "expiry_date",
		"2001-01-01").want(http.StatusUnprocessableEntity).says("#expiry_date-wrong", "This day is over")
	s.submit(page, form, "review", "expiry", "30").leads(at + "/lock")
	lock := s.get(at+"/lock").says(".sentences", "The profile ends on").says(".sentences", "private address")

	// A profile that changed since it was shown is not locked.
	handle := strings.TrimPrefix(at, paths.Profiles+"/")
	_, err := s.access.Hosts.Propose(t.Context(), app.Actor{Kind: app.ActorAgent}, handle,
		[]app.Host{{Name: "late.example.com"}})
	s.must(err)
	s.submit(lock, ".lock form", "").want(http.StatusUnprocessableEntity).says(".errors", "changed")
	s.submit(s.get(at+"/lock"), ".lock form", "").leads(at)
	s.get(at + "/lock").leads(at)
	s.submit(page, form, "save").want(http.StatusUnprocessableEntity)

	const edit = "form[action$='/edit']"
	settings := at + "?tab=settings"
	s.submit(s.get(settings), edit, "", "expiry", "never", "name", "Renamed", "purpose", "Revenue of the month,\nby region.",
		"min_tier", "restricted").leads(settings)
	s.get(at+"?tab=access").says(".sentences", "The profile has no end date.").says(".sentences",
		"with isolation restricted at least")
	s.get(settings).says("h1", "Renamed").says(".reason", "by region.")
	s.submit(s.get(settings), edit, "", "name", strings.Repeat("x", 61)).want(http.StatusUnprocessableEntity).says(
		"#name-wrong", "longer than 60 characters").says("#purpose", "by region.")
	s.submit(s.get(settings), edit, "", "name", "Not kept", "expiry", "date", "expiry_date",
		"2001-01-01").want(http.StatusUnprocessableEntity).says("#expiry_date-wrong", "This day is over")
	s.get(settings).says("h1", "Renamed") // nothing of a refused form is saved
	s.submit(s.get(at+"/revoke").says("main button", "Revoke Renamed"), "main form", "").leads(at)
	s.get(at).says(".head .state", "Revoked")
	s.get(at+"?tab=access").lacks("form[action$='/hosts']").says(".sentences", "Revoked on").silent("revoke it at any moment")
	s.submit(s.get(at+"/delete"), "main form", "", "typed", "Renamed").leads(paths.Profiles)
	s.get(at).want(http.StatusNotFound)
}
