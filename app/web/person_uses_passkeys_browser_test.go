package web

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

const loggedIn = `document.querySelector(".rail")`

// addAuthenticator adds a built-in authenticator, as phones and laptops have.
func addAuthenticator(b *browsertest.Browser) webauthn.AuthenticatorID {
	browsertest.Call(b, webauthn.Enable, webauthn.EnableParams{})
	return browsertest.Call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		},
	}).AuthenticatorID
}

func addPasskey(b *browsertest.Browser, name string) {
	b.Open(paths.Settings)
	b.Click("#passkeys a.button")
	b.Heading("Add a passkey")
	b.Until(`document.querySelector("#name").value !== ""`) // what the browser is
	b.Do(chromedp.Clear(chromedp.CSS("#name")))
	b.Type("#name", name)
	b.Click("form.passkey .primary")
	b.Says(".toast", "Passkey added.")
	b.Says("#passkeys tbody", name)
}

// TestPasskeyInARealBrowser registers, logs in, confirms, and is refused after removal.
func TestPasskeyInARealBrowser(t *testing.T) {
	s := newUISite(t)
	b := browsertest.NewAtLocalhost(t, s.web.URL)
	b.Expect("422")
	b.Expect("401") // the page may ask once more
	addAuthenticator(b)
	s.loginIn(b)
	addPasskey(b, "Ada's laptop")
	b.Says("#passkeys tbody", "never")

	logout := func() {
		b.Open(paths.Settings)
		b.Click(`#sessions form[action="` + paths.Logout + `"] button`)
		b.Heading("Airlock")
	}
	logout()
	b.Click("form.passkey button")
	b.Until(loggedIn)
	if got := s.newestAction(); got != "session.login Logged in with the passkey Ada's laptop." {
		t.Errorf("the audit log says %q", got)
	}

	s.passwordsAreOld()
	b.Open(paths.PasskeyNew)
	b.Heading("Confirm your password")
	b.Click("form.passkey button")
	b.Heading("Add a passkey")
	if got := s.newestAction(); got != "session.confirm Confirmed with the passkey Ada's laptop." {
		t.Errorf("the audit log says %q", got)
	}
	b.Click("form.passkey .primary")
	b.Says("form.passkey .field-error", "This device has a passkey for you already.")

	b.Open(paths.Settings)
	b.Click("#passkeys .rename summary")
	b.Text(`document.querySelector("#passkeys .rename input").value = "Old laptop"`)
	b.Click("#passkeys .rename button")
	b.Says(".toast", "Passkey renamed.")
	b.Says("#passkeys tbody", "Old laptop")
	b.Click("#passkeys tbody .danger")
	b.Click("#confirm [value=yes]")
	b.Says(".toast", "Passkey removed.")
	b.Until(`!document.querySelector("#passkeys tbody")`)
	logout()
	b.Click("form.passkey button")
	b.Says("form.passkey .field-error", "This passkey is not known here")
	if got := s.newestAction(); got != "session.refuse Refused a passkey: nobody here has it." {
		t.Errorf("the audit log says %q", got)
	}
}

// TestPasskeyNeedsItsVerifiedUserAndCountsOn: unverified users and old counters are refused.
func TestPasskeyNeedsItsVerifiedUserAndCountsOn(t *testing.T) {
	s := newUISite(t)
	b := browsertest.NewAtLocalhost(t, s.web.URL)
	b.Expect("422")
	b.Expect("401") // the page may ask once more
	id := addAuthenticator(b)
	verifies := func(yes bool) {
		browsertest.Call(b, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: id, IsUserVerified: yes})
	}
	claims := func(verified bool) { // what answers say, true or not
		bad := !verified
		browsertest.Call(b, webauthn.SetResponseOverrideBits,
			webauthn.SetResponseOverrideBitsParams{AuthenticatorID: id, IsBadUV: &bad})
	}
	count := func(n float64) { // as a copy may have it
		all := browsertest.Call(b, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: id})
		browsertest.Call(b, webauthn.SetCredentialProperties, webauthn.SetCredentialPropertiesParams{
			AuthenticatorID: id, CredentialID: all.Credentials[0].CredentialID, SignCount: &n})
	}
	s.loginIn(b)
	addPasskey(b, "key")
	out := func() {
		b.Open(paths.Settings)
		b.Click(`#sessions form[action="` + paths.Logout + `"] button`)
		b.Heading("Airlock")
	}
	out()
	verifies(false)
	b.Click("form.passkey button")
	b.Says("form.passkey .field-error", "The browser used no passkey.")
	verifies(true)
	claims(false)
	b.Click("form.passkey button")
	b.Says("form.passkey .field-error", "This passkey is not known here")
	if got := s.newestAction(); got != "session.refuse Refused a passkey: it did not verify." {
		t.Errorf("the audit log says %q", got)
	}
	claims(true)
	count(20)
	b.Click("form.passkey button")
	b.Until(loggedIn)
	out()
	count(5)
	b.Click("form.passkey button")
	b.Says("form.passkey .field-error", "This passkey is not known here")
	if got := s.newestAction(); got !=
		"session.refuse Refused a passkey: its counter went back, so it may have been copied." {
		t.Errorf("the audit log says %q", got)
	}
}

// TestPasskeysAreOfferedOnlyWhereTheyWork: not over plain HTTP except localhost, nor without
// scripts.
func TestPasskeysAreOfferedOnlyWhereTheyWork(t *testing.T) {
	s := newUISite(t)
	b := browsertest.New(t, s.web.URL)
	b.Open(paths.Login)
	b.Until(`document.querySelector("#name") && !document.querySelector("form.passkey")`)
	s.loginIn(b)
	b.Open(paths.Settings)
	b.Says("#passkeys .foot", "Passkeys work over HTTPS or at localhost, not at this address.")
	b.Until(`!document.querySelector("#passkeys .button")`)

	local := browsertest.NewAtLocalhost(t, s.web.URL)
	local.Open(paths.Login)
	local.Until(`document.querySelector("form.passkey button").offsetHeight > 0`)
	local.Scripts(false)
	local.Open(paths.Login)
	local.Until(`document.querySelector("form.passkey button").offsetHeight === 0`)
	s.loginIn(local)
	local.Open(paths.PasskeyNew)
	local.Until(`document.querySelector(".without-passkeys").offsetHeight > 0`)
}

// TestPasskeyOfAnotherAddress: the page says where passkeys work and asks for none.
func TestPasskeyOfAnotherAddress(t *testing.T) {
	s := newUISite(t, func(c *Config) { c.PublicURL = "https://airlock.example.com" })
	b := browsertest.NewAtLocalhost(t, s.web.URL)
	b.Open(paths.Login)
	b.Click("form.passkey button")
	b.Says("form.passkey .field-error", "Passkeys work at https://airlock.example.com only.")
}

func (s *uiSite) newestAction() string {
	s.t.Helper()
	events, err := s.access.Audit.Latest(s.t.Context(), 1)
	s.must(err)
	return events[0].Action + " " + events[0].Detail
}

// passwordsAreOld dates all password entries an hour back.
func (s *uiSite) passwordsAreOld() {
	s.t.Helper()
	sessions, err := s.access.Sessions.List(s.t.Context())
	s.must(err)
	s.must(s.store.Write(s.t.Context(), func(tx *store.Tx) error {
		for _, x := range sessions {
			if err := tx.Sessions.Confirm(s.t.Context(), x.ID, time.Now().Add(-time.Hour)); err != nil {
				return err
			}
		}
		return nil
	}))
}
