package web

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

const uiPEM = "-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6\n-----END PRIVATE KEY-----\n"

// requestOfThree requests three keys, one of them a PEM.
func (s *uiSite) requestOfThree() app.Profile {
	s.t.Helper()
	return s.request([]app.Key{
		{Name: "ORACLE_PASSWORD", Description: "To read revenue by outlet from the reporting schema, once a month.",
			Mode: app.ModeInjected},
		{Name: "SIMPHONY_API_KEY", Description: "To fetch yesterday's checks, so that the report can be compared with them.",
			Hosts: []app.Host{{Name: "simphony.example.com"}}},
		{Name: "SIGNING_KEY", Description: "To sign the report before it is sent."},
	}, "db.example.com:1521", "simphony.example.com")
}

// picture leaves a screenshot if they are wanted.
func picture(b *browsertest.Browser, name string) {
	if dir := os.Getenv("PAGES_SCREENSHOTS"); dir != "" {
		b.Picture(filepath.Join(dir, name+".png"))
	}
}

// TestUIRequestOfThreeKeysOnAPhone: a mistake on the way keeps all typed values.
func TestUIRequestOfThreeKeysOnAPhone(t *testing.T) {
	s := newUISite(t)
	p := s.requestOfThree()
	b := browsertest.New(t, s.web.URL)
	b.Expect("422")
	b.Size(390, 844)
	s.loginIn(b)
	tap := func(selector string) {
		b.Until(`((e) => e && (e.scrollIntoView({block: "center"}), true))(document.querySelector(` +
			browsertest.Quoted(selector) + `))`)
		b.Click(selector)
	}
	b.Open(paths.ProfileURL(p.Handle))
	b.Heading("Monthly revenue report")
	picture(b, "request-390-1-asked")
	b.Type(`#value\.ORACLE_PASSWORD`, uiSecrets()[0])
	tap(`label:has([name="mode.ORACLE_PASSWORD"][value=injected])`)
	b.Type(`#value\.SIMPHONY_API_KEY`, uiSecrets()[1])
	b.Text(`document.getElementById("value.SIGNING_KEY").value = ` + browsertest.Quoted(uiPEM))
	tap(`[name="allow.1"]`)
	tap(".lock .primary")

	// The PEM is sealed without a host: the error list leads to its visible row.
	b.Says(".errors", "1 field needs attention; the rest was saved.")
	b.Until(`document.activeElement.id === "hosts.SIGNING_KEY"`)
	picture(b, "request-390-2-refused")
	if got := b.Text(`(() => { const r = document.activeElement.getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight - 60; })()`); got != "true" {
		t.Error("the first error is not in sight")
	}
	if got := b.Text(`document.getElementById("value.SIGNING_KEY").value`); got != uiPEM {
		t.Errorf("the PEM became %q", got)
	}
	if got := b.Text(`document.getElementById("link.ORACLE_PASSWORD").value + document.getElementById("value.ORACLE_PASSWORD").value`); got != "ORACLE_PASSWORD" {
		t.Errorf("what was saved is typed in still: %q", got)
	}
	b.Text(`scrollTo(0, 0)`)
	tap(`.errors a[href="#hosts.SIGNING_KEY-wrong"]`)
	b.Until(`document.activeElement.id === "hosts.SIGNING_KEY"`)
	tap(`label:has([name="mode.SIGNING_KEY"][value=injected])`)
	b.Until(`document.querySelector("[aria-label=SIGNING_KEY] .if-injected").checkVisibility()`)
	tap(".lock .primary")
	b.Heading("Lock Monthly revenue report")
	picture(b, "request-390-3-review")
	b.Says(".sentences", "SIGNING_KEY is injected")
	b.Until(`document.activeElement.id === "main"`) // then the page has scrolled to its top
	tap(".lock button.primary")
	b.Says(".state", "Locked")
	picture(b, "request-390-4-locked")
	if got := s.value("SIGNING_KEY"); got != uiPEM {
		t.Errorf("stored %q", got)
	}
}

// TestUIRequestFormIsShort: three keys fit 1,400 pixels on a desk, 2,200 on a phone.
func TestUIRequestFormIsShort(t *testing.T) {
	s := newUISite(t)
	p := s.requestOfThree()
	b := browsertest.New(t, s.web.URL)
	s.loginIn(b)
	b.Open(paths.ProfileURL(p.Handle))
	b.Heading("Monthly revenue report")
	for width, most := range map[int64]int{390: 2200, 820: 1800, 1280: 1400, 1600: 1400} {
		b.Size(width, 844)
		picture(b, "request-"+strconv.FormatInt(width, 10))
		height, err := strconv.Atoi(b.Text(`document.documentElement.scrollHeight`))
		if err != nil || height > most {
			t.Errorf("at %d pixels it is %d high, more than %d (%v)", width, height, most, err)
		}
		if file := b.Text(`Math.round(document.getElementById("file.SIGNING_KEY").getBoundingClientRect().width)`); len(file) > 2 &&
			file > "125" {
			t.Errorf("at %d pixels the field for a file is %s wide", width, file)
		}
	}
}

// TestUIRefusedFormKeepsFilesAndOtherForms: they outlast a refusal, whose answer repeats none of
// them.
func TestUIRefusedFormKeepsFilesAndOtherForms(t *testing.T) {
	s := newUISite(t)
	p := s.requestOfThree()
	b := browsertest.New(t, s.web.URL)
	b.Expect("422")
	s.loginIn(b)
	b.Open(paths.ProfileURL(p.Handle))
	b.Heading("Monthly revenue report")
	b.Text(`(() => { const d = new DataTransfer(); d.items.add(new File([` + browsertest.Quoted(uiPEM) +
		`], "key.pem")); document.getElementById("file.SIGNING_KEY").files = d.files; document.querySelector(".profile-edit").open = true; })()`)
	b.Text(`document.getElementById("purpose").value = "A purpose"`)
	b.Click(`.lock .primary`)
	b.Says(".errors", "fields need attention")
	b.Until(`document.activeElement.matches(".errors")`) // of several mistakes, the list
	b.Until(`document.getElementById("file.SIGNING_KEY").files[0]?.name === "key.pem"`)
	b.Until(`document.getElementById("file.SIGNING_KEY").getBoundingClientRect().width > 250`) // with the file's name
	b.Until(`document.getElementById("purpose").value === "A purpose"`)
	b.Click(`[name="mode.SIGNING_KEY"][value=injected]`)
	b.Click(`.lock button[value=save]`)
	b.Says(".toast", "Saved.")
	if got := s.value("SIGNING_KEY"); got != uiPEM {
		t.Errorf("stored %q", got)
	}
}

// TestUIRequestFormTakesFiles byte for byte, without scripts too. A file and a typed value
// conflict.
func TestUIRequestFormTakesFiles(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.request([]app.Key{{Name: "SIGNING_KEY"}})
	at := paths.At(paths.ProfileSetup, p.Handle)
	fields := []string{"do", "save", "link.SIGNING_KEY", "+", "name.SIGNING_KEY", "SIGNING_KEY",
		profileview.AskedField("SIGNING_KEY"), profileview.RequestID(p.Keys[0])}
	s.upload(at, "file.SIGNING_KEY", uiPEM, append(fields, "value.SIGNING_KEY", uiSecrets()[0], "mode.SIGNING_KEY",
		"injected")...).want(http.StatusUnprocessableEntity).says(`#file\.SIGNING_KEY-wrong`, "Give only one")
	s.upload(at, "file.SIGNING_KEY", strings.Repeat("x", app.MaxValue+1), append(fields, "mode.SIGNING_KEY",
		"injected")...).want(http.StatusUnprocessableEntity).says(`#file\.SIGNING_KEY-wrong`, "longer than")
	s.upload(at, "file.SIGNING_KEY", uiPEM, append(fields, "mode.SIGNING_KEY", "injected")...).leads(
		paths.ProfileURL(p.Handle))
	if got := s.value("SIGNING_KEY"); got != uiPEM {
		t.Errorf("stored %q", got)
	}
}

// TestUIInjectedIsChosenKnowingly: a requested injection is not preselected, and nothing is stored
// before.
func TestUIInjectedIsChosenKnowingly(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.requestOfThree()
	page := s.get(paths.ProfileURL(p.Handle)).says("[aria-label=ORACLE_PASSWORD] .caution",
		"The agent asks for injected. A malicious script could send it to any allowed host.").lacks(
		"[name='mode.ORACLE_PASSWORD'][checked]")
	if got := page.doc.Find("[name='mode.SIMPHONY_API_KEY'][checked]").AttrOr("value", ""); got != "sealed" {
		t.Errorf("a key without a wish is %q", got)
	}
	const form = "form[action$='/setup']"
	s.submit(page, form, "save", "value.ORACLE_PASSWORD", uiSecrets()[0]).want(http.StatusUnprocessableEntity).
		says(`#mode\.ORACLE_PASSWORD-wrong`, "Choose how scripts receive it.").
		says(".errors a", "ORACLE_PASSWORD: Choose how scripts receive it.")
	list, err := s.access.Credentials.List(t.Context())
	s.must(err)
	if len(list) != 0 {
		t.Errorf("stored %+v", list)
	}
}

func TestUIProtocolOfARequestIsChosen(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.request(nil, "api.example.com:8443")
	at := paths.ProfileURL(p.Handle)
	const form = "form[action$='/setup']"
	s.submit(s.get(at), form, "review", "allow.0", "yes", "protocol.0", "https").leads(at + "/lock")
	s.get(at+"/lock").says(".sentences", "api.example.com on port 8443 over HTTPS")
	s.submit(s.get(at), form, "save", "protocol.0", "gopher").want(http.StatusUnprocessableEntity)
	s.submit(s.get(at+"/lock"), ".lock form", "").leads(at)
	_, err := s.access.Hosts.Propose(t.Context(), app.Actor{Kind: app.ActorAgent}, p.Handle,
		[]app.Host{{Name: "db.example.com", Ports: []int{6543}}})
	s.must(err)
	review := s.submit(s.get(at), "#requests form", "yes", "protocol.1", "postgres").want(http.StatusOK)
	review.says(".sentences", "db.example.com on port 6543 as PostgreSQL")
	s.submit(review, ".lock form", "grant").leads(accessOf(p))
	s.get(accessOf(p)).says(".sentences", "db.example.com on port 6543 as PostgreSQL")
}

// TestUIDeclinedHostsAreListed on the Access tab, and can be allowed there as requested.
func TestUIDeclinedHostsAreListed(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	s.get(accessOf(p)).lacks("#declined")
	_, err := s.access.Hosts.Propose(t.Context(), app.Actor{Kind: app.ActorAgent}, p.Handle,
		[]app.Host{{Name: "old.example.com", Ports: []int{8080}, Protocol: app.ProtocolHTTP, Reason: "For the archive."}})
	s.must(err)
	s.submit(s.get(paths.ProfileURL(p.Handle)), "#requests form", "dismiss").leads(accessOf(p))
	page := s.get(accessOf(p)).says("#declined .request", "old.example.com on port 8080 over HTTP without encryption").
		says("#declined", "Declined just now")
	review := s.submit(page, "#declined form", "old.example.com:8080").want(http.StatusOK)
	s.submit(review, ".lock form", "grant").leads(accessOf(p))
	s.get(accessOf(p)).lacks("#declined").says(".sentences", "old.example.com on port 8080 over HTTP")
}

// TestUICredentialHints warn of values with "Bearer" and of hosts with many owners.
func TestUICredentialHints(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	told := func(text string) {
		t.Helper()
		s.get(paths.Credentials).says(".toast.warning", text)
	}
	s.post(paths.CredentialNew, "name", "SCHEME", "value", "Bearer "+uiSecrets()[0], "mode", "sealed", "hosts",
		"api.example.com").leads(paths.Credentials)
	told("Its value begins with Bearer")
	s.post(paths.CredentialNew, "name", "OWNERS", "value", uiSecrets()[0], "mode", "sealed", "hosts",
		"*.github.io").leads(paths.Credentials)
	told("covers names of many owners")
	s.get(paths.CredentialURL("OWNERS")).says(".caution", "Anybody can have a name below github.io")
	p := s.request([]app.Key{{Name: "KEY"}}, "api.example.com")
	s.submit(s.get(paths.ProfileURL(p.Handle)), "form[action$='/setup']", "save", "value.KEY", "bearer "+uiSecrets()[0]).
		leads(paths.ProfileURL(p.Handle))
	s.get(paths.ProfileURL(p.Handle)).says(".toast.warning", "store only what follows it")
}

// TestHoleKeyChangedWhileTyping: a typed value is not saved for a key that the agent changed
// meanwhile, with or without scripts.
func TestHoleKeyChangedWhileTyping(t *testing.T) {
	s := newUISite(t)
	b := browsertest.New(t, s.web.URL)
	b.Expect("422")
	s.loginIn(b)
	by := app.Actor{Kind: app.ActorAgent, Address: "192.0.2.40"}
	before := app.Key{Name: "KEY", Description: "To read.", Mode: app.ModeSealed, Hosts: []app.Host{{Name: "api.example.com"}}}
	for what, after := range map[string]app.Key{
		"hosts":  {Name: "KEY", Description: "To read.", Mode: app.ModeSealed, Hosts: []app.Host{{Name: "collect.example.com"}}},
		"mode":   {Name: "KEY", Description: "To read.", Mode: app.ModeInjected, Hosts: before.Hosts},
		"reason": {Name: "KEY", Description: "To write.", Mode: app.ModeSealed, Hosts: before.Hosts},
	} {
		for _, newest := range []bool{true, false} {
			p := s.request([]app.Key{before, {Name: "OTHER"}})
			b.Open(paths.ProfileURL(p.Handle))
			b.Heading("Monthly revenue report")
			b.Type(`#value\.KEY`, uiSecrets()[0])
			b.Type(`#value\.OTHER`, uiSecrets()[1])
			_, err := s.access.Keys.Remove(t.Context(), by, p.Handle, "KEY")
			s.must(err)
			_, err = s.access.Keys.Add(t.Context(), by, p.Handle, []app.Key{after})
			s.must(err)
			if newest {
				b.Until(`document.querySelector("a[data-keep]").checkVisibility()`)
				b.Click("a[data-keep]")
				b.Until(`!document.querySelector("a[data-keep]").checkVisibility()`)
			} else {
				b.Click(`.lock button[value=save]`)
				b.Says(".errors", "The agent changed this key")
			}
			if got := b.Text(`document.getElementById("value.KEY").value`); got != "" {
				t.Errorf("%s changed, newest %t: what was typed for the old key is there", what, newest)
			}
			if got := b.Text(`document.getElementById("value.OTHER").value`); newest && got != uiSecrets()[1] {
				t.Errorf("%s changed: the other key lost what was typed", what)
			}
			if what == "hosts" && !newest {
				picture(b, "request-changed")
			}
			p, err = s.access.Profiles.ByHandle(t.Context(), p.Handle)
			s.must(err)
			for _, k := range p.Keys {
				if k.Name == "KEY" && k.Credential != "" {
					t.Errorf("%s changed, newest %t: KEY is saved as %s", what, newest, k.Credential)
				}
			}
		}
	}
}
