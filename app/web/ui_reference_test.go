package web

import (
	"testing"

	"github.com/computclaw/airlock/app"
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
