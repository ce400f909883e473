//go:build vault

package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/views/paths"
)

// TestUIVault: a person sets a reference and sees whether it resolves, never the value.
func TestUIVault(t *testing.T) {
	const inVault = "value-in-vault-0123456789"
	v := vaulttest.Start(t)
	v.Policy("reader", map[string]string{"secret/data/*": "read"})
	token := v.Token("1h", "reader")
	client, err := vault.New(vault.Config{Address: v.URL, Token: app.NewSecret(token), Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	s := newUISite(t)
	s.login()
	if s.get(paths.CredentialNew).doc.Find("[name=source]").Length() != 0 ||
		s.get(paths.SettingsInstance).doc.Find("#vault").Length() != 0 {
		t.Error("without a Vault there is something to choose")
	}
	keyring, err := secrets.NewKeyring(app.NewSecret("0123456789abcdef0123456789abcdef-ui-test"))
	s.must(err)
	withVault := access.New(access.Config{
		Store: s.store, Keyring: keyring, AgentProfiles: true, Vault: client,
		Leases: leases.New(leases.Config{Store: s.store, Vault: client}),
	})
	s.configure(func(c *Config) { c.Access = withVault })
	v.Put("app", map[string]any{"token": inVault})

	add := s.get(paths.CredentialNew).want(http.StatusOK)
	fill := []string{"name", "TOKEN", "hosts", "api.example.com", "source", "vault", "reference", "secret/data/app"}
	refused := s.submit(add, "main form", "", fill...).want(http.StatusUnprocessableEntity).says("#reference-wrong",
		"which field")
	if refused.doc.Find("#reference").AttrOr("value", "") != "secret/data/app" ||
		refused.doc.Find("#source option[selected]").AttrOr("value", "") != "vault" {
		t.Error("what was typed is lost")
	}
	s.submit(refused, "main form", "", "reference", "secret/data/app#token").leads(paths.Credentials)
	s.get(paths.Credentials).says("tbody", "from Vault")
	page := s.get(paths.CredentialURL("TOKEN")).want(http.StatusOK).says("#in-vault", "Resolves").says("#in-vault",
		"secret/data/app#token").says("#in-vault", "KV version 2").says("#in-vault .facts", "1")
	settings := s.get(paths.SettingsInstance).want(http.StatusOK).says("#vault", "Works").says("#vault", v.URL).says("#vault",
		"by token")
	for _, p := range []*uiAnswer{page, settings} {
		if text := p.doc.Text(); strings.Contains(text, inVault) || strings.Contains(text, token) {
			t.Error("a page shows a secret")
		}
	}
	form := "form[action='" + paths.CredentialURL("TOKEN") + "']"
	s.submit(page, form, "", "description", "a note").leads(paths.Credentials)
	c, err := s.access.Credentials.ByName(t.Context(), "TOKEN")
	s.must(err)
	if c.Source != app.SourceVault || c.Reference != "secret/data/app#token" || c.Description != "a note" {
		t.Errorf("stored %+v", c)
	}
	s.submit(s.get(paths.CredentialURL("TOKEN")), form, "", "reference",
		"secret/data/nothing#x").leads(paths.Credentials)
	s.get(paths.Credentials).says("body", "does not resolve in Vault now")
	s.get(paths.CredentialURL("TOKEN")).says("#in-vault", "Does not resolve").says("#in-vault", "Nothing is "+
		"stored there")
	p, err := s.access.Profiles.Create(t.Context(), person, "reports")
	s.must(err)
	_, err = s.access.Keys.Add(t.Context(), person, p.Handle, []app.Key{{Name: "TOKEN"}})
	s.must(err)
	_, err = s.access.Keys.Link(t.Context(), person, p.Handle, "TOKEN", "TOKEN")
	s.must(err)
	s.get(paths.At(paths.ProfileLock, p.Handle)).want(http.StatusOK).says(".unresolved",
		"TOKEN does not resolve in Vault now").says(".unresolved", "Nothing is stored there")
	v.Put("nothing", map[string]any{"x": inVault})
	s.get(paths.CredentialURL("TOKEN")).says("#in-vault", "Resolves")
	if s.get(paths.At(paths.ProfileLock, p.Handle)).want(http.StatusOK).doc.Find(".unresolved").Length() != 0 {
		t.Error("the lock page complains of a reference that resolves")
	}
	s.get(paths.Inbox).want(http.StatusOK).says("#inbox", "is being set up")
	if strings.Contains(s.get(paths.Inbox).text, "Vault isn't working") {
		t.Error("the inbox complains of a Vault that works")
	}
	follow := func() error { // as an execution does
		_, err := s.server.cfg.Access.Resolver.Resolve(t.Context(), p.Handle,
			app.Policy{Keys: []app.Grant{{Key: "TOKEN", CredentialID: c.ID, Mode: app.ModeSealed, Hosts: c.Hosts}}})
		return err
	}
	s.must(follow())
	s.submit(s.get(paths.CredentialURL("TOKEN")), form, "", "reference", "secret/data/gone#x").leads(paths.Credentials)
	if follow() == nil {
		t.Error("a reference that leads nowhere gave a value")
	}
	s.get(paths.Inbox).says("#inbox", "The value of the key TOKEN could not be read from Vault").says("#inbox",
		"See the reference")
	s.submit(s.get(paths.CredentialURL("TOKEN")), form, "", "reference",
		"secret/data/nothing#x").leads(paths.Credentials)
	if strings.Contains(s.get(paths.Inbox).text, "could not be read") {
		t.Error("the inbox complains of a reference that nobody has followed yet")
	}
	s.must(follow())
	told := s.server.cfg.Hub.Subscribe(live.Vault)
	defer told.Close()
	v.Seal()
	if follow() == nil {
		t.Error("a sealed Vault gave a value")
	}
	now, err := s.access.Credentials.ByName(t.Context(), "TOKEN")
	s.must(err)
	if u, unreadable := s.server.cfg.Access.Vault.Unreadable(now); unreadable {
		t.Errorf("a reference is blamed for a sealed Vault: %+v", u)
	}
	s.get(paths.SettingsInstance).want(http.StatusOK).says("#vault", "Not working").says("#vault", "Vault is sealed")
	select {
	case <-told.C():
	default:
		t.Error("open pages are not told")
	}
	s.get(paths.Inbox).says("#inbox", "Vault isn't working").says("#inbox", "Vault is sealed").says("#inbox",
		"See Vault")
	s.get(paths.Root).says("#needs", "Vault isn't working")
	page = s.get(paths.CredentialURL("TOKEN")).want(http.StatusOK).says("#in-vault", "Vault is sealed")
	s.submit(page, form, "", "source", "local", "value", "typed-0123456789abcdef").leads(paths.Credentials)
	if c, err = s.access.Credentials.ByName(t.Context(), "TOKEN"); err != nil || c.Source != app.SourceLocal ||
		c.Version != 1 ||
		c.Reference != "" {
		t.Errorf("stored %+v", c)
	}
	// A reference replaces a held value only on a person's word.
	refused = s.submit(s.get(paths.CredentialURL("TOKEN")), form, "", "source", "vault", "reference",
		"secret/data/app#token").want(http.StatusUnprocessableEntity).says("#erase-wrong", "a reference to Vault replaces it")
	if c, err = s.access.Credentials.ByName(t.Context(), "TOKEN"); err != nil || c.Source != app.SourceLocal ||
		!c.HasValue() {
		t.Errorf("it was erased: %+v", c)
	}
	s.submit(refused, form, "", "erase", "yes").leads(paths.Credentials)
	if c, err = s.access.Credentials.ByName(t.Context(), "TOKEN"); err != nil || c.Source != app.SourceVault {
		t.Errorf("stored %+v", c)
	}
	s.get(paths.CredentialURL("TOKEN")).lacks("#erase")
}

// TestUIReferenceThatNamesNothingIsNotOffered after a request loses its key.
func TestUIReferenceThatNamesNothingIsNotOffered(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.request([]app.Key{{Name: "DB", Mode: app.ModePlain}}, "{DB}:1521")
	at := paths.ProfileURL(p.Handle)
	if n := s.get(at).doc.Find("[name='allow.0']").Length(); n != 1 {
		t.Fatalf("%d ticks for a host of a key that is there", n)
	}
	_, err := s.access.Keys.Remove(t.Context(), app.Actor{Kind: app.ActorAgent, Address: "192.0.2.7"}, p.Handle, "DB")
	s.must(err)
	page := s.get(at).says(".host .hint", "The profile has no plain key of that name")
	if n := page.doc.Find("[name='allow.0']").Length(); n != 0 {
		t.Errorf("%d ticks for a host of no key", n)
	}
	if n := page.doc.Find("[name='private.0']").Length(); n != 0 {
		t.Errorf("%d ticks for private addresses of a host of no key", n)
	}
}

// TestHoleG2PlainValueOfALockedProfile: a form names the locked profiles that reach a host through
// a plain value.
func TestHoleG2PlainValueOfALockedProfile(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	plain := credentials.Input{Name: "DB", Mode: app.ModePlain, Value: app.NewSecret("db.corp.example")}
	_, err := s.access.Credentials.Set(t.Context(), s.person, plain)
	s.must(err)
	p := s.request([]app.Key{{Name: "DB", Mode: app.ModePlain}}, "{DB}:1521")
	_, err = s.access.Keys.Link(t.Context(), s.person, p.Handle, "DB", "DB")
	s.must(err)
	p, err = s.access.Hosts.Set(t.Context(), s.person, p.Handle, []app.Host{p.Hosts[0].Host}, nil)
	s.must(err)
	seen := p.UpdatedAt
	plain.Value = app.NewSecret("db2.corp.example")
	_, err = s.access.Credentials.Set(t.Context(), s.person, plain)
	s.must(err)
	if _, err := s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, seen); app.CodeOf(err) != app.CodeConflict {
		t.Errorf("a lock of another host than was read: %v", err)
	}
	s.get(paths.CredentialURL("DB")).lacks("#reached")
	_, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, time.Time{})
	s.must(err)

	s.get(paths.CredentialURL("DB")).says("#reached", "reaches db2.corp.example through its value")
	page := s.get(paths.CredentialPaste)
	s.submit(page, "main form", "", "text", "DB=evil.example").leads(paths.CredentialPreview)
	s.get(paths.CredentialPreview).says("[aria-label=DB] .caution", "would reach evil.example instead of db2.corp.example")
}
