package web

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/views/paths"
)

// TestUIReferenceThatNamesNothingIsNotOffered: a request may lose the key that it refers to; then
// there is nothing to tick.
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

// TestHoleG2PlainValueOfALockedProfile: whoever changes a plain value reads which locked profiles
// reach a host through it, and where a pasted one would lead them.
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
