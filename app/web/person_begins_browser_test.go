package web

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

func (s *uiSite) loginIn(b *browsertest.Browser) {
	s.t.Helper()
	b.Open(paths.Login)
	b.Type("#name", uiName)
	b.Type("#password", uiPassword)
	b.Click("form .primary")
	b.Heading("Overview")
}

// TestUIFirstRunToFirstResult starts from an agent's link on an unused instance.
func TestUIFirstRunToFirstResult(t *testing.T) {
	s := newUISiteWithoutPeople(t)
	p := s.request([]app.Key{{Name: "API_TOKEN", Description: "To read the data"}}, "api.example.com")
	b := browsertest.New(t, s.web.URL)
	b.Expect("answer 422")
	b.Expect("status of 422")
	b.Open(paths.ProfileURL(p.Handle))
	b.Type("#token", uiToken)
	b.Click("form .primary")
	b.Heading("Create your account")
	b.Type("#name", uiName)
	b.Type("#password", "password1234")
	b.Type("#password-again", "password1234")
	b.Click("form .primary")
	b.Says("#password-wrong", "easy to guess")
	if got := b.Text(`document.querySelector("#name").value +
		document.querySelector("#password").value`); got != uiName {
		t.Errorf("the refused form holds %q", got)
	}
	b.Until(`document.activeElement.id === "password"`)
	b.Type("#password", uiPassword)
	b.Type("#password-again", uiPassword)
	b.Click("form .primary")
	b.Heading("Monthly revenue report")
	b.Type(`#value\.API_TOKEN`, uiSecrets()[0])
	b.Until(`document.querySelector("#hosts\\.API_TOKEN").value === "api.example.com"`)
	b.Click(`[name="allow.0"]`)
	b.Click(".lock .primary")
	b.Heading("Lock Monthly revenue report")
	b.Says(".sentences", "api.example.com")
	b.Click(".lock button.primary")
	b.Says(".state", "Locked")
	b.Click("[data-copy=handover]") // no clipboard API here
	b.Until(`document.querySelector("[data-copy=handover]").classList.contains("done")`)
	_, _, err := s.engine.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: p.ID, Script: "print hello", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.Says("#runs", "Completed")
	b.Click("#runs tbody a")
	b.Says(".verdict .state", "Completed")
	b.Says("#stdout", "hello")
}

func TestUIRotateRevokeUndo(t *testing.T) {
	s := newUISite(t)
	_, err := s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "KEY", Mode: app.ModeInjected, Value: app.NewSecret("the value before")})
	s.must(err)
	p := s.locked()
	b := browsertest.New(t, s.web.URL)
	s.loginIn(b)
	b.Open(paths.CredentialURL("KEY"))
	b.Type("#value", uiSecrets()[1])
	b.Click(".foot .primary")
	b.Says(".toast", "The credential was changed.")
	b.Click(".toast button")
	b.Until(`!document.querySelector(".toast")`)
	if c, err := s.access.Credentials.ByName(t.Context(), "KEY"); err != nil || c.Version != 2 {
		t.Errorf("version %d, %v", c.Version, err)
	}
	b.Open(paths.At(paths.ProfileRevoke, p.Handle))
	b.Click("main .danger")
	b.Says(".undo", "this can be undone")
	b.Click(".undo .button")
	b.Says(".toast", "Revocation undone.")
	now, err := s.access.Profiles.ByHandle(t.Context(), p.Handle)
	if err != nil || now.Revoked {
		t.Errorf("%+v %v", now, err)
	}
}

// TestUIKeyboard goes everywhere without a mouse.
func TestUIKeyboard(t *testing.T) {
	s := newUISite(t)
	p := s.locked()
	b := browsertest.New(t, s.web.URL)
	s.loginIn(b)
	ctrlK := func() {
		b.Until(`(document.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true,
			cancelable: true})), document.getElementById("palette").open)`)
	}
	ctrlK()
	b.Until(`document.activeElement.id === "palette-q" && document.querySelectorAll("#palette-found a").length > 5`)
	b.Press("revenue")
	b.Until(`document.querySelectorAll("#palette-found a").length === 1`)
	b.Press("\r")
	b.Heading("Monthly revenue report")
	b.Until(`!document.getElementById("palette").open`)
	ctrlK() // TestEscapeClosesThePalette: one Esc closes it, whatever was typed
	b.Until(`document.activeElement.id === "palette-q"`)
	b.Press("zzz")
	b.Press("\x1b")
	b.Until(`!document.getElementById("palette").open`)
	b.Press("g")
	b.Press("p")
	b.Heading("Profiles")
	b.Press("j")
	b.Until(`document.activeElement.getAttribute("href") === ` + browsertest.Quoted(paths.ProfileURL(p.Handle)))
	b.Press("/")
	b.Until(`document.activeElement.id === "q"`)
	b.Press("c")
	// typed, not obeyed
	b.Until(`document.getElementById("q").value.endsWith("c") && document.querySelector("h1").innerText === "Profiles"`)
	b.Do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	b.PressUntil("?", `document.getElementById("keys").open`)
	b.Press("\r") // on Close
	b.Until(`!document.getElementById("keys").open`)
	b.Press("c")
	b.Heading("Create a profile")
	s.request([]app.Key{{Name: "ORACLE_DSN"}})
	b.Open(paths.Inbox)
	b.Press("j")
	b.Until(`document.activeElement.closest(".inbox-list li")`)
	b.Press("\r")
	b.Heading("Monthly revenue report")
	b.Open(paths.Settings)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#keys-choice").value = "off"`))
	b.Click("form[action$='/keys'] button")
	b.Until(`document.body.dataset.keys === "off"`)
	b.Press("g")
	b.Press("p")
	b.Press("?")
	b.Until(`document.querySelector("h1").innerText === "Settings" && !document.getElementById("keys").open`)
}

// TestUIWithoutScripts logs in, pastes, searches, creates, revokes and undoes without JavaScript.
func TestUIWithoutScripts(t *testing.T) {
	s := newUISite(t)
	p := s.locked()
	b := browsertest.New(t, s.web.URL)
	b.Scripts(false)
	s.loginIn(b)
	b.Click(`.rail a[href="/ui/search"]`)
	b.Heading("Search")
	b.Type("#q", "paste")
	b.Click(".search-form button")
	b.Until(`location.search === "?q=paste" && document.readyState === "complete" &&
		document.querySelector(".link-list a")`)
	b.Click(".link-list a")
	b.Heading("Paste a .env file")
	b.Type("#text", "KEY=planted-s3cr3t-alpha\nREGION=eu")
	b.Click(".foot .primary")
	b.Heading("Review pasted values")
	b.Type(`#hosts\.KEY`, "api.example.com")
	b.Click(".foot .primary")
	b.Heading("Credentials")
	b.Says(".toast", "Your choices were saved.")
	b.Says("tbody", "REGION")
	b.Open(paths.At(paths.ProfileRevoke, p.Handle))
	b.Click("main .danger")
	b.Says(".undo", "this can be undone")
	b.Click(".undo .button")
	b.Says(".state", "Locked")
	b.Open(paths.SettingsInstance)
	b.Click("#pause button")
	b.Says(".paused", "Executions are paused")
	b.Click(".paused button")
	b.Until(`!document.querySelector(".paused")`)
}

// TestUISessionEndsInAForm: typed values stay and go through after another login.
func TestUISessionEndsInAForm(t *testing.T) {
	s := newUISite(t)
	b := browsertest.New(t, s.web.URL)
	b.Expect("401")
	s.loginIn(b)
	b.Open(paths.CredentialNew)
	b.Type("#name", "TYPED")
	b.Type("#value", uiSecrets()[0])
	b.Click("[value=plain]")
	s.login()
	s.submit(s.get(paths.Settings), "#sessions form.foot", "all").leads(paths.Settings)
	// The page notices at its next request and keeps the typed text.
	_, err := s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "ANOTHER", Mode: app.ModePlain, Value: app.NewSecret("x")})
	s.must(err)
	b.Says("#page-alert", "Your session expired. What you typed is still here.")
	b.Click(".foot .primary")
	b.Says("#page-alert", "nothing was saved")
	b.Says("#page-alert", "What you typed is still here.")
	if got := b.Text(`document.querySelector("#name").value + " " +
		document.querySelector("#value").value`); got != "TYPED "+uiSecrets()[0] {
		t.Errorf("the form holds %q", got)
	}
	other := b.Tab()
	s.loginIn(other)
	b.Click(".foot .primary")
	b.Says(".toast", "The credential was added.")
}

// TestUIRefusedForm shows each error beside its focused field and keeps all typed values, secrets
// included.
func TestUIRefusedForm(t *testing.T) {
	s := newUISite(t)
	b := browsertest.New(t, s.web.URL)
	b.Expect("422")
	s.loginIn(b)
	b.Open(paths.CredentialNew)
	b.Type("#name", "2FAST")
	b.Type("#value", uiSecrets()[0])
	b.Type("#service", "Reporting")
	b.Type("#hosts", "api.example.com")
	b.Click(".foot .primary")
	b.Says("#name-wrong", "can't be a key name")
	b.Says(".errors", "Nothing was saved")
	if got := b.Text(`["#name", "#service", "#hosts", "#value"].map((s) => document.querySelector(s).value).join("|") +
		location.pathname`); got != "2FAST|Reporting|api.example.com|"+uiSecrets()[0]+paths.CredentialNew {
		t.Errorf("the refused form holds %q", got)
	}
	b.Until(`document.activeElement.id === "name"`)
	b.Text(`document.querySelector("#name").value = "FAST"`)
	b.Until(`document.querySelector(".errors a").hash === "#name-wrong"`)
	b.Click(".foot .primary")
	b.Says(".toast", "The credential was added.")
	b.Says("tbody", "FAST")
	if got := s.value("FAST"); got != uiSecrets()[0] {
		t.Errorf("stored %q", got)
	}
}

func TestUILockOnAPhone(t *testing.T) {
	s := newUISite(t)
	s.request([]app.Key{{Name: "API_TOKEN", Description: "To read the data"}}, "api.example.com")
	b := browsertest.New(t, s.web.URL)
	b.Size(390, 844)
	tap := func(selector string) {
		// from under the bar
		b.Until(`((e) => e && (e.scrollIntoView({block: "center"}), true))(document.querySelector(` +
			browsertest.Quoted(selector) + `))`)
		b.Click(selector)
	}
	fits := func() {
		b.Until(`document.documentElement.scrollWidth <= innerWidth`)
	}
	s.loginIn(b)
	b.Click(`.bar a[href="/ui/inbox"]`)
	b.Heading("Inbox")
	fits()
	tap(".inbox-list .button")
	b.Heading("Monthly revenue report")
	fits()
	tap(`#value\.API_TOKEN`)
	b.Type(`#value\.API_TOKEN`, uiSecrets()[0])
	tap(`[name="allow.0"]`)
	tap(".lock .primary")
	b.Heading("Lock Monthly revenue report")
	b.Says(".sentences", "Its scripts may run in any sandbox of this instance.")
	fits()
	tap(".lock button.primary")
	b.Says(".state", "Locked")
	fits()
}
