package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/views"
)

func TestUISearch(t *testing.T) {
	s := newUISite(t)
	s.get(views.Search).leads(views.LoginURL(views.Search))
	s.login()
	service := "Reporting database"
	_, err := s.access.SetCredential(t.Context(), s.person, access.CredentialInput{Name: "ORACLE_PASSWORD", Mode: app.ModeInjected, Service: &service, Value: app.NewSecret(uiSecrets()[0])})
	s.must(err)
	p := s.locked()
	x := s.runs(p, "print hello", app.StatusCompleted)
	for text, want := range map[string]string{
		"":             views.Root,
		"over":         views.Root,
		"revenue":      views.ProfileURL(p.Handle),
		"PASSWORD ora": views.CredentialURL("ORACLE_PASSWORD"),
		"reporting":    views.CredentialURL("ORACLE_PASSWORD"),
		"invite":       views.Settings + "#people",
		x.Handle:       views.ExecutionURL(x.Handle),
		p.Handle:       views.ProfileURL(p.Handle),
	} {
		a := s.get(views.Search + "?q=" + url.QueryEscape(text)).want(http.StatusOK)
		if got := a.doc.Find(".found a").First().AttrOr("href", ""); got != want {
			t.Errorf("%q: first is %q, want %q", text, got, want)
		}
	}
	s.get(views.Search+"?q=nowhere-at-all").says("[aria-label=Results]", "Nothing is called “nowhere-at-all”.")
	part := s.part(views.Search + "?q=revenue")
	if part.doc.Find("nav").Length() != 0 || part.doc.Find(".found a").Length() == 0 {
		t.Errorf("the part is %s", part.text)
	}
	for _, token := range []string{p.ID, x.ID, uiToken} {
		a := s.get(views.Search+"?q="+token).want(http.StatusOK).says("[aria-label=Results]", "That is a token")
		if strings.Contains(a.text, token) {
			t.Error("a token is repeated")
		}
	}
	if a := s.get(views.Search + "?q=" + p.ID[4:]); a.doc.Find(".found a").Length() != 0 {
		t.Error("a token's characters find its profile")
	}
	s.get(views.Search + "?q=" + url.QueryEscape(`<script>alert(1)</script>"`)).want(http.StatusOK).lacks("main script")
}

func TestUIKeysCanBeSwitchedOff(t *testing.T) {
	s := newUISite(t)
	s.login()
	if got := s.get(views.Settings).doc.Find("body").AttrOr("data-keys", ""); got != "on" {
		t.Errorf("keys are %q", got)
	}
	s.submit(s.get(views.Settings), "form[action$='/keys']", "", "keys", "off").leads(views.Settings)
	if got := s.get(views.Root).doc.Find("body").AttrOr("data-keys", ""); got != "off" {
		t.Errorf("keys are %q", got)
	}
}
