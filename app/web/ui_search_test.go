package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/views/paths"
)

func TestUISearch(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.get(paths.Search).leads(paths.LoginURL(paths.Search))
	s.login()
	service := "Reporting database"
	_, err := s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "ORACLE_PASSWORD", Mode: app.ModeInjected, Service: &service,
			Value: app.NewSecret(uiSecrets()[0])})
	s.must(err)
	p := s.locked()
	x := s.runs(p, "print hello", app.StatusCompleted)
	for text, want := range map[string]string{
		"":             paths.Root,
		"over":         paths.Root,
		"revenue":      paths.ProfileURL(p.Handle),
		"PASSWORD ora": paths.CredentialURL("ORACLE_PASSWORD"),
		"reporting":    paths.CredentialURL("ORACLE_PASSWORD"),
		"invite":       paths.SettingsPeople,
		// by what people call them
		"backup": paths.SettingsBackups, "theme": paths.Settings + "#appearance", "dark mode": paths.Settings +
			"#appearance", "export": paths.SettingsMove, "statistics": paths.Stats, "latency": paths.Stats,
		"users": paths.SettingsPeople, "move": paths.SettingsMove, "log out": paths.Settings + "#sessions",
		"hello":  paths.ExecutionURL(x.Handle), // in its script
		x.Handle: paths.ExecutionURL(x.Handle),
		p.Handle: paths.ProfileURL(p.Handle),
	} {
		a := s.get(paths.Search + "?q=" + url.QueryEscape(text)).want(http.StatusOK)
		if got := a.doc.Find(".link-list a").First().AttrOr("href", ""); got != want {
			t.Errorf("%q: first is %q, want %q", text, got, want)
		}
	}
	if n := s.get(paths.Search).doc.Find(".link-list a[href='" + paths.ExecutionURL(x.Handle) + "']").Length(); n != 1 {
		t.Errorf("the latest execution stands %d times among the places", n)
	}
	s.get(paths.Search+"?q=nowhere-at-all").says("[aria-label=Results]", "No results for “nowhere-at-all”.")
	part := s.part(paths.Search + "?q=revenue")
	if part.doc.Find("nav").Length() != 0 || part.doc.Find(".link-list a").Length() == 0 {
		t.Errorf("the part is %s", part.text)
	}
	for _, token := range []string{p.ID, x.ID, uiToken} {
		a := s.get(paths.Search+"?q="+token).want(http.StatusOK).says("[aria-label=Results]",
			"Nothing was searched: this is a token")
		if strings.Contains(a.text, token) {
			t.Error("a token is repeated")
		}
	}
	if a := s.get(paths.Search + "?q=" + p.ID[4:]); a.doc.Find(".link-list a").Length() != 0 {
		t.Error("a token's characters find its profile")
	}
	s.get(paths.Search + "?q=" + url.QueryEscape(`<script>alert(1)</script>"`)).want(http.StatusOK).lacks("main script")
}

func TestUIKeysCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	if got := s.get(paths.Settings).doc.Find("body").AttrOr("data-keys", ""); got != "on" {
		t.Errorf("keys are %q", got)
	}
	s.submit(s.get(paths.Settings), "form[action$='/keys']", "", "keys", "off").leads(paths.Settings)
	if got := s.get(paths.Root).doc.Find("body").AttrOr("data-keys", ""); got != "off" {
		t.Errorf("keys are %q", got)
	}
}
